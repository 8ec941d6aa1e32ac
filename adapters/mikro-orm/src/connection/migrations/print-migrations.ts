/**
 * The migrations as text, for hosts whose database is changed by people or by another tool
 * (ADR 0046).
 */
import type { Dialect } from '../../schema/dialect.ts';
import {
  migrations as every_migration,
  migrations_table,
  type SchemaMigration,
} from '../../schema/migrations/index.ts';
import { assertUsableOnSqlite, default_schema, schemaOnPostgres } from './schema-name.ts';

export interface PrintOptions {
  readonly dialect: Dialect;
  /** Postgres: the schema of the tables, which the text creates. */
  readonly schema?: string | undefined;
}

/** What is known of the database that the text is for. */
interface PrintedFor extends PrintOptions {
  readonly migrations: readonly SchemaMigration[];
  /** The names of the migrations that it has already. */
  readonly applied: readonly string[];
}

/**
 * Returns the statements of all migrations of this version in one transaction, with the rows of the
 * table of applied migrations, as `psql` and `sqlite3` run them on a database that has none of them.
 * Rejects with `UnusableSchema`.
 */
export async function printMigrations(options: PrintOptions): Promise<string> {
  const { dialect, schema } = options;
  if (dialect === 'sqlite') assertUsableOnSqlite(schema);
  else schemaOnPostgres(schema);
  return await print({ ...options, applied: [], migrations: every_migration });
}

/** Returns those of the migrations that are not applied, in the same form. */
export async function print({ dialect, schema, migrations, applied }: PrintedFor): Promise<string> {
  const known = new Set(applied);
  const missing = migrations.filter(({ name }) => !known.has(name));
  if (missing.length === 0) return '-- The database has every migration of this version.\n';
  const parts = [`-- Run it by: ${commands[dialect]}`, begin(dialect, schema)];
  if (applied.length === 0) parts.push(`${migrations_table[dialect]};`);
  for (const { name, class: each } of missing) {
    const statements = await each.statements(dialect);
    const row = `insert into tallystick_migrations (name) values ('${name}')`;
    parts.push(`-- ${name}`, ...[...statements, row].map((statement) => `${statement};`));
  }
  parts.push('commit;');
  return `${parts.join('\n')}\n`;
}

/** Both would continue after a statement that failed. */
const commands: Readonly<Record<Dialect, string>> = {
  sqlite: 'sqlite3 -bail <file of the database>',
  postgres: 'psql -v ON_ERROR_STOP=1 <URL of the database>',
};

function begin(dialect: Dialect, schema = default_schema): string {
  if (dialect === 'sqlite') return 'begin immediate;';
  // It exists, and a role that may not create schemas could not even ask for it.
  const create = schema === default_schema ? [] : [`create schema if not exists "${schema}";`];
  return ['begin;', ...create, `set local search_path = "${schema}";`].join('\n');
}
