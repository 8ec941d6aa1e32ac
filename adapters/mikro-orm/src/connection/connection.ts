import { MikroORM } from '@mikro-orm/core';
import { PostgreSqlDriver } from '@mikro-orm/postgresql';
import { decision_ms_max_default } from '@tallystick/cards';
import { assert, machine_timers, type Timers } from '@tallystick/kernel';
import { Kysely, PostgresDialect } from 'kysely';
import type pg from 'pg';
import { migrations as every_migration, type SchemaMigration } from '../schema/migrations/index.ts';
import { closeOnce } from './closing.ts';
import type { ConnectionOptions } from './connection-options.ts';
import { hostHandle } from './host-handle.ts';
import { assertUsableOnSqlite, schemaOnPostgres } from './migrations/schema-name.ts';
import { outermostOnly, type RunOutermost } from './nesting.ts';
import { ormOptions } from './orm-options.ts';
import type { ConnectionLimit } from './postgres/connection-limit.ts';
import { openPostgresPools, type PostgresPoolOptions } from './postgres/postgres-pools.ts';
import type { Tables } from './session.ts';
import { connectSqlite, type SqliteConnection } from './sqlite/sqlite-connection.ts';

export type { SqliteConnection } from './sqlite/sqlite-connection.ts';

/**
 * The database that stores, ledger and migrations share: MikroORM, and the driver's own handle
 * below it.
 */
export type Connection = SqliteConnection | PostgresConnection;

export interface PostgresConnection {
  readonly dialect: 'postgres';
  readonly timers: Timers;
  readonly orm: MikroORM<PostgreSqlDriver>;
  readonly migrations: readonly SchemaMigration[];
  /** The schema of every table, set on every connection. */
  readonly schema: string;
  /**
   * Closes the database after open transactions have ended. Rejects work that has not begun. May be
   * called twice.
   */
  close(): Promise<void>;
  /**
   * The pool for ordinary work. Returns 64-bit integers as numbers, as do the others. Its
   * statements have time-outs.
   */
  readonly pool: pg.Pool;
  readonly runOutermost: RunOutermost;
  readonly passes: pg.Pool;
  /** For the short transactions that a decision needs besides its pass. */
  readonly look_ups: Kysely<Tables>;
  /** The pool for migrations. Its statements have no time-outs. */
  readonly long: pg.Pool;
  /** Runs work of the ORM on this client of `long`. */
  withoutTimeouts<Result>(client: pg.PoolClient, work: () => Promise<Result>): Promise<Result>;
  /** Shares the connections of the process among the pools. */
  readonly limit: ConnectionLimit;
}

/**
 * Opens the database. For SQLite it creates the file, readable by this user only, in a folder that
 * exists. Creates no table.
 */
export async function connect(options: ConnectionOptions): Promise<Connection> {
  const { database_url, owns_process, timers = machine_timers, migrations = every_migration } = options;
  const { copies_log_in_thread: has_thread } = options;
  if (options.database !== undefined) {
    const handle = hostHandle(options.database);
    if (handle.kind === 'postgres') {
      return connectPostgres(handle.options, options, timers, migrations);
    }
    assertUsableOnSqlite(options.schema);
    return handle.kind === 'sqlite file'
      ? connectSqlite(handle.path, migrations, { library: handle.library, has_thread, timers })
      : connectSqlite(':memory:', migrations, { shared: handle.database, timers });
  }
  if (database_url.startsWith('sqlite:')) {
    assertUsableOnSqlite(options.schema);
    return connectSqlite(database_url.slice('sqlite:'.length), migrations, { owns_process, has_thread, timers });
  }
  assert(/^postgres(ql)?:\/\//.test(database_url), 'a database URL begins with sqlite:, postgres:// or postgresql://');
  return connectPostgres(database_url, options, timers, migrations);
}

async function connectPostgres(
  url: PostgresPoolOptions['url'],
  { connections_max, onFewerConnections, decision_ms_max = decision_ms_max_default, ...options }: ConnectionOptions,
  timers: Timers,
  migrations: readonly SchemaMigration[],
): Promise<PostgresConnection> {
  const schema = schemaOnPostgres(options.schema);
  const pools = openPostgresPools({ url, schema, connections_max, onFewerConnections, decision_ms_max, timers });
  const orm = await MikroORM.init({
    ...ormOptions(migrations, schema),
    driver: PostgreSqlDriver,
    dbName: databaseName(url),
    driverOptions: new PostgresDialect({ pool: pools.ordinary }),
  });
  return {
    dialect: 'postgres',
    timers,
    orm,
    migrations,
    schema,
    runOutermost: outermostOnly(),
    pool: pools.others,
    passes: pools.passes,
    look_ups: new Kysely<Tables>({ dialect: new PostgresDialect({ pool: pools.look_ups }) }),
    long: pools.long,
    withoutTimeouts: pools.withoutTimeouts,
    limit: pools.limit,
    close: closeOnce(async () => {
      await pools.idle();
      await orm.close(true);
      await pools.end();
    }),
  };
}

/** For MikroORM, which opens no connection itself. */
function databaseName(url: PostgresPoolOptions['url']): string {
  if (typeof url !== 'string') return url.database ?? 'postgres';
  return decodeURIComponent(new URL(url).pathname.slice(1)) || 'postgres';
}
