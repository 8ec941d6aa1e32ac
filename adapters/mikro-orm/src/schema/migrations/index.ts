import { Migration } from '@mikro-orm/migrations';
import { type Dialect, dialectOf } from '../dialect.ts';
import { tables } from './0001-tables.ts';

/**
 * What processes of the version before do when the migration is applied beside them
 * (docs/adr/0029-expand-and-contract.md):
 *
 * - `expand`: they continue to work, and nothing that they write is lost.
 * - `contract`: it removes what only older versions use. Those of the version before do not.
 * - `stop`: they must be stopped before, because they would fail or write what the new version
 *   misreads.
 */
export type MigrationKind = 'expand' | 'contract' | 'stop';

export interface SchemaMigration {
  readonly kind: MigrationKind;
  readonly name: string;
  readonly class: MigrationClass;
}

export type MigrationStatements = (dialect: Dialect) => readonly string[] | Promise<readonly string[]>;

export interface MigrationClass {
  new (...arguments_: ConstructorParameters<typeof Migration>): Migration;
  readonly statements: MigrationStatements;
}

/** Every migration, in order. One that was released is never changed again. */
export const migrations: readonly SchemaMigration[] = [
  { kind: 'expand', name: '0001-tables', class: migration(tables) },
];

/**
 * How long a change of the schema waits for a table on Postgres, milliseconds. A decision waits
 * longer.
 */
export const lock_wait_ms_max = 2_000;

/** The migration that executes these statements. */
export function migration(statements: MigrationStatements): MigrationClass {
  return class extends Migration {
    static readonly statements = statements;

    override async up(): Promise<void> {
      const dialect = dialectOf(this.driver.getPlatform());
      // Whoever needs the table waits behind a statement that waits for it, so decisions would wait
      // as long as, for example, a backup reads. `migrate` tries again.
      if (dialect === 'postgres') this.addSql(`set local lock_timeout = '${lock_wait_ms_max}ms'`);
      for (const statement of await statements(dialect)) {
        this.addSql(statement);
      }
    }
  };
}

/** The table of applied migrations, as MikroORM creates it. */
export const migrations_table: Readonly<Record<Dialect, string>> = {
  sqlite: `create table if not exists tallystick_migrations (
    id integer not null primary key autoincrement, name text not null, executed_at datetime not null default (strftime('%s', 'now') * 1000)
  )`,
  postgres: `create table if not exists tallystick_migrations (
    id serial primary key, name varchar(255) not null, executed_at timestamptz(6) not null default current_timestamp(6)
  )`,
};
