import { EntityCaseNamingStrategy, type MetadataStorage, type Platform, Uint8ArrayType } from '@mikro-orm/core';
import { dialectOf } from './dialect.ts';
import { entities } from './schema.ts';

/** The options of MikroORM that describe the tables. */
export const described_entities = {
  entities,
  namingStrategy: EntityCaseNamingStrategy,
  discovery: { afterDiscovered: adaptToDialect },
};

/**
 * Adapts the parts of a schema that differ between the databases. On SQLite a numeric primary key is
 * an `integer`, so that it is the rowid and needs no index. On Postgres text is compared by bytes, as
 * on SQLite, whatever the collation of the database: the order is the same everywhere, and indexes
 * are cheaper.
 */
function adaptToDialect(storage: MetadataStorage, platform: Platform): void {
  const dialect = dialectOf(platform);
  for (const meta of storage.getAll().values()) {
    for (const property of Object.values(meta.properties)) {
      const [column_type] = property.columnTypes ?? [];
      if (dialect === 'sqlite' && property.primary && !meta.compositePK && column_type === 'bigint') {
        property.columnTypes = ['integer'];
      }
      if (dialect === 'postgres' && column_type === 'text') property.collation = 'C';
    }
  }
}

/** The names of the columns that hold bytes. No text column has one of these names. */
export const byte_columns: ReadonlySet<string> = new Set(
  entities.flatMap(({ meta }) =>
    Object.entries(meta.properties)
      .filter(([, { type }]) => [type, Object(type).constructor].includes(Uint8ArrayType))
      .map(([name]) => name),
  ),
);
