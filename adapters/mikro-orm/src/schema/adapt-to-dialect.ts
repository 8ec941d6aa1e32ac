import type { MetadataStorage, Platform } from '@mikro-orm/core';
import { dialectOf } from './dialect.ts';
import { segmentExpression } from './event-segments.ts';

/**
 * For `discovery.afterDiscovered`: what the entities cannot say for both databases at once. On SQLite a numeric primary key
 * is an `integer`, which makes it the row's own number, with no index beside it. On Postgres text sorts and compares by bytes,
 * as it does on SQLite, whatever the database's own collation: the same order everywhere, and cheaper indexes. Segments of
 * the event log have their size from the database.
 */
export function adaptToDialect(storage: MetadataStorage, platform: Platform): void {
  const dialect = dialectOf(platform);
  for (const meta of storage.getAll().values()) {
    for (const property of Object.values(meta.properties)) {
      const [column_type] = property.columnTypes ?? [];
      if (dialect === 'sqlite' && property.primary && !meta.compositePK && column_type === 'bigint') {
        property.columnTypes = ['integer'];
      }
      if (property.name === 'segment') property.generated = `(${segmentExpression(dialect)}) stored`;
      if (dialect === 'postgres' && column_type === 'text') property.collation = 'C';
    }
  }
}
