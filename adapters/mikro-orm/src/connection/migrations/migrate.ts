import type { Timers } from '@tallystick/kernel';
import type { Database } from 'better-sqlite3';
import type { ClientBase } from 'pg';
import { lockKey, schemaNumber } from '../../schema/locks.ts';
import { migrations_table } from '../../schema/migrations/index.ts';
import type { Connection } from '../connection.ts';
import { faultOf } from '../faults.ts';
import { assertSession } from '../postgres/session-settings.ts';
import { waitEnd } from '../sqlite/turns.ts';
import { default_schema, UnusableSchema } from './schema-name.ts';
import { type MigrateOptions, NewerSchema, OlderSchema } from './schema-version.ts';

/**
 * The advisory lock that lets one process at a time migrate a Postgres database. Any number, the
 * same in all processes.
 */
const migration_lock = 7_311_855_129;

/** Its key, also before the schema exists; `$1` is the schema. */
const migration_key = lockKey(migration_lock, schemaNumber('$1'));

/** How long to wait on SQLite for another process that migrates, milliseconds. */
const other_migration_ms_max = 120_000;

/** How long a caller that only checks the schema waits, milliseconds: a person waits for it. */
const check_ms_max = 5_000;

/** A table of databases that were made before the first release, whose tables had no prefix. */
const table_before_release = 'event_filter_blocks';
const made_before_release =
  'the database was made before the first release, and its tables cannot be taken over: use a new, empty database';

const select_applied = 'select name from tallystick_migrations order by id';

/**
 * How often a migration tries to lock the tables that it changes, and the time between: about a
 * minute in all with the waits.
 */
const lock_tries_max = 20;
const lock_pause_ms = 1_000;

/**
 * Applies the missing migrations, all or none. A second process waits and then finds nothing to do.
 * Rejects with `NewerSchema`, and applies nothing, when a newer version has migrated the database,
 * and with `UnusableSchema` when it was made before the first release.
 */
export async function migrate(
  connection: Connection,
  options: MigrateOptions = { accepts_newer: false },
): Promise<void> {
  const { migrator } = connection.orm;
  const refuseNewer = (applied: readonly Applied[]): void => {
    const newer = newerThanOwn(connection, applied);
    if (newer.length > 0 && !options.accepts_newer) throw new NewerSchema(newer);
  };
  const check = (applied: readonly Applied[]): void => {
    refuseNewer(applied);
    const names = new Set(applied.map(({ name }) => name));
    const missing = connection.migrations.flatMap(({ name }) => (names.has(name) ? [] : [name]));
    if (missing.length > 0) throw new OlderSchema(missing);
  };
  const up = async (): Promise<void> => {
    refuseNewer(await migrator.getExecuted());
    await migrator.up();
  };
  try {
    await refuseMadeBeforeRelease(connection);
    if (connection.dialect === 'sqlite') {
      if (options.only_checks) {
        // The write lock waits for another process that migrates.
        check(await connection.immediately(appliedOnSqlite, waitEnd(connection.timers, check_ms_max)));
        return;
      }
      // MikroORM checks for its own table and then creates it, so two processes would both create
      // it.
      await connection.immediately(
        (database) => database.exec(migrations_table.sqlite),
        waitEnd(connection.timers, other_migration_ms_max),
      );
      // One transaction that takes the write lock before it reads which migrations were applied.
      await up();
      return;
    }
    const client = await connection.long.connect();
    try {
      await client.query(`select pg_advisory_lock(${migration_key})`, [connection.schema]);
      await prepareSchema(client, connection.schema, options);
      if (options.only_checks) check(await appliedOnPostgres(client));
      else await connection.withoutTimeouts(client, () => retryLocked(up, connection.timers));
    } finally {
      await client.query(`select pg_advisory_unlock(${migration_key})`, [connection.schema]).catch(() => {});
      client.release();
    }
  } catch (error) {
    throw faultOf(error);
  }
}

/** Rejects with `UnusableSchema` when the database was made before the first release. */
export async function refuseMadeBeforeRelease(connection: Connection): Promise<void> {
  if (await isMadeBeforeRelease(connection)) throw new UnusableSchema(made_before_release);
}

async function isMadeBeforeRelease(connection: Connection): Promise<boolean> {
  if (connection.dialect === 'sqlite') {
    const found = "select 1 from sqlite_master where type = 'table' and name = ?";
    return await connection.reading((database) => database.prepare(found).get(table_before_release) !== undefined);
  }
  const found = await connection.long.query('select to_regclass($1) is not null as is_found', [table_before_release]);
  return found.rows[0].is_found;
}

/**
 * The names of the applied migrations, in order, also those of a newer version; none when the
 * database was not migrated. Writes nothing.
 */
export async function findApplied(connection: Connection): Promise<readonly string[]> {
  try {
    if (connection.dialect === 'sqlite') return namesIn(await connection.reading(appliedOnSqlite));
    const client = await connection.long.connect();
    try {
      return namesIn(await appliedOnPostgres(client));
    } finally {
      client.release();
    }
  } catch (error) {
    throw faultOf(error);
  }
}

function namesIn(applied: readonly Applied[]): readonly string[] {
  return applied.map(({ name }) => name);
}

/** The applied migrations; none when another program, or nobody, has used the database. */
function appliedOnSqlite(database: Database): readonly Applied[] {
  const found = database
    .prepare("select 1 from sqlite_master where type = 'table' and name = 'tallystick_migrations'")
    .get();
  return found === undefined ? [] : database.prepare<[], Applied>(select_applied).all();
}

/**
 * Creates the schema unless it exists or the caller only checks. Throws `UnusableSchema` when the
 * role may not, and when the connection does not work in the schema.
 */
async function prepareSchema(client: ClientBase, schema: string, { only_checks }: MigrateOptions): Promise<void> {
  await assertSession(client);
  const { rows } = await client.query<SchemaState>(
    `select current_setting('search_path') as search_path, current_schema() as schema, to_regnamespace($1) is not null as is_found,
       has_database_privilege(current_database(), 'create') as may_create`,
    [schema],
  );
  const { search_path, is_found, may_create, ...first } = rows[0]!;
  const is_default = schema === default_schema && first.schema === schema;
  if (search_path !== `"${schema}"` && search_path !== schema && !is_default) {
    throw new UnusableSchema(
      `the search_path of a connection is ${search_path} instead of ${schema}: let the connection pooler pass on the startup parameter "options"`,
    );
  }
  if (is_found || only_checks) return;
  if (!may_create) {
    throw new UnusableSchema(
      `the schema ${schema} does not exist and the role may not create it: create it as another role, or grant this one "create" on the database`,
    );
  }
  await client.query(`create schema if not exists "${schema}"`);
}

interface SchemaState {
  readonly search_path: string;
  readonly schema: string | null;
  readonly is_found: boolean;
  readonly may_create: boolean;
}

async function appliedOnPostgres(client: ClientBase): Promise<readonly Applied[]> {
  const found = "select to_regclass('tallystick_migrations') is not null as is_found";
  const [row] = (await client.query<{ is_found: boolean }>(found)).rows;
  return row?.is_found ? (await client.query<Applied>(select_applied)).rows : [];
}

/** A statement waited for a table for too long. The processes in line behind it go first. */
async function retryLocked(up: () => Promise<void>, { pause }: Timers): Promise<void> {
  for (let tries_left = lock_tries_max - 1; ; tries_left -= 1) {
    try {
      return await up();
    } catch (error) {
      if (tries_left === 0 || !isLockTimeout(error)) throw error;
      await pause(lock_pause_ms);
    }
  }
}

function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && ((error as { code?: unknown }).code === '55P03' || isLockTimeout(error.cause));
}

/**
 * The names of migrations that a newer version has applied; empty when there are none. The database
 * must be migrated.
 */
export async function findNewerMigrations(connection: Connection): Promise<readonly string[]> {
  try {
    if (connection.dialect === 'postgres') {
      return newerThanOwn(connection, (await connection.pool.query<Applied>(select_applied)).rows);
    }
    const rows = await connection.reading((database) => database.prepare<[], Applied>(select_applied).all());
    return newerThanOwn(connection, rows);
  } catch (error) {
    throw faultOf(error);
  }
}

interface Applied {
  readonly name: string;
}

function newerThanOwn({ migrations }: Connection, applied: readonly Applied[]): readonly string[] {
  const known = new Set(migrations.map(({ name }) => name));
  return applied.flatMap(({ name }) => (known.has(name) ? [] : [name]));
}
