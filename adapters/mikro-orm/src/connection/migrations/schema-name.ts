/** The schema cannot be used, or what is in it. The message says why, and what to do. */
export class UnusableSchema extends Error {
  override readonly name = 'UnusableSchema';
}

export const default_schema = 'public';

/** Postgres cuts longer names off. */
const schema_pattern = /^[a-z_][a-z0-9_]{0,62}$/;

/**
 * The schema of an installation on Postgres, whatever the role and the database would have. Throws
 * `UnusableSchema` unless the name is one that needs no quotes, except for reserved words, and is
 * none of Postgres itself.
 */
export function schemaOnPostgres(schema = default_schema): string {
  if (!schema_pattern.test(schema)) {
    throw new UnusableSchema(
      `${JSON.stringify(schema)} cannot be a schema: use at most 63 of a-z, 0-9 and _, and begin with no digit`,
    );
  }
  if (schema.startsWith('pg_') || schema === 'information_schema') {
    throw new UnusableSchema(`the schema ${schema} belongs to Postgres itself: use another name`);
  }
  return schema;
}

/** Throws `UnusableSchema` when a schema is given: SQLite has none. */
export function assertUsableOnSqlite(schema: string | undefined): void {
  if (schema !== undefined) {
    throw new UnusableSchema('SQLite has no schemas: leave the schema out');
  }
}
