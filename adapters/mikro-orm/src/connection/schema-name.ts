/** The names under which an installation keeps its tables in a database that it shares. */

/** The schema or the table prefix cannot be used. The message says why, and what to do. */
export class UnusableSchema extends Error {
  override readonly name = 'UnusableSchema';
}

/** Postgres cuts longer names off. */
const schema_pattern = /^[a-z_][a-z0-9_]{0,62}$/;

/**
 * Throws `UnusableSchema` unless the name is one that needs no quotes, except for reserved words,
 * and is none of Postgres itself.
 */
function assertUsableSchema(schema: string): void {
  if (!schema_pattern.test(schema)) {
    throw new UnusableSchema(
      `${JSON.stringify(schema)} cannot be a schema: use at most 63 of a-z, 0-9 and _, and begin with no digit`,
    );
  }
  if (schema.startsWith('pg_') || schema === 'information_schema') {
    throw new UnusableSchema(`the schema ${schema} belongs to Postgres itself: use another name`);
  }
}

const prefix_pattern = /^[a-z_][a-z0-9_]{0,30}$/;

/** Throws `UnusableSchema` unless this is what an installation on SQLite may have. */
export function assertUsableOnSqlite(schema: string | null | undefined, table_prefix: string): void {
  if (typeof schema === 'string') {
    throw new UnusableSchema('SQLite has no schemas: set a table prefix instead of a schema');
  }
  if (table_prefix !== '') assertUsablePrefix(table_prefix);
}

/** Throws `UnusableSchema` unless this is what an installation on Postgres may have. */
export function assertUsableOnPostgres(schema: string | null | undefined, table_prefix: string): void {
  if (table_prefix !== '') {
    throw new UnusableSchema('Postgres has schemas: set a schema instead of a table prefix');
  }
  if (typeof schema === 'string') assertUsableSchema(schema);
}

/** Throws `UnusableSchema` unless every name with the prefix needs no quotes on SQLite. */
function assertUsablePrefix(prefix: string): void {
  if (!prefix_pattern.test(prefix)) {
    throw new UnusableSchema(
      `${JSON.stringify(prefix)} cannot be a table prefix: use at most 31 of a-z, 0-9 and _, and begin with no digit`,
    );
  }
  if (prefix.startsWith('sqlite_')) {
    throw new UnusableSchema(`names that begin with sqlite_ belong to SQLite itself: use another table prefix`);
  }
}
