import type { MetadataStorage, Platform } from '@mikro-orm/core';
import { dialectOf } from './dialect.ts';

/**
 * For `discovery.afterDiscovered`: the parts of a schema that differ between the databases. On
 * SQLite a numeric primary key is an `integer`, so that it is the rowid and needs no index. On
 * Postgres text is compared by bytes, as on SQLite, whatever the collation of the database: the
 * order is the same everywhere, and indexes are cheaper.
 */
export function adaptToDialect(storage: MetadataStorage, platform: Platform): void {
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
