/** The schema cannot be used, or what is in it. The message says why, and what to do. */
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

/** Throws `UnusableSchema` when a schema is given: SQLite has none. */
export function assertUsableOnSqlite(schema: string | null | undefined): void {
  if (typeof schema === 'string') {
    throw new UnusableSchema('SQLite has no schemas: leave the schema out');
  }
}

/** Throws `UnusableSchema` unless this is what an installation on Postgres may have. */
export function assertUsableOnPostgres(schema: string | null | undefined): void {
  if (typeof schema === 'string') assertUsableSchema(schema);
}
