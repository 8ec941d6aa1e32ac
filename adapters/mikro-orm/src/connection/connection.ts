import { once } from 'node:events';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { EntityCaseNamingStrategy, MikroORM } from '@mikro-orm/core';
import { Migrator } from '@mikro-orm/migrations';
import { PostgreSqlDriver } from '@mikro-orm/postgresql';
import { SqliteDriver } from '@mikro-orm/sqlite';
import { assert } from '@tallystick/kernel';
import Database from 'better-sqlite3';
import { PostgresDialect } from 'kysely';
import pg from 'pg';
import { adaptToDialect } from '../schema/adapt-to-dialect.ts';
import { migrations } from '../schema/migrations/index.ts';
import { entities } from '../schema/schema.ts';
import { checkpointsOn } from './checkpoints.ts';
import { runOutermost } from './nesting.ts';
import { PreparingClient } from './prepared-statement.ts';
import { beginImmediate, sqliteDialect } from './sqlite-dialect.ts';

/**
 * The database that stores, ledger and migrations share: MikroORM, and the driver's own handle
 * below it.
 */
export type Connection = SqliteConnection | PostgresConnection;

export interface SqliteConnection {
  readonly dialect: 'sqlite';
  readonly orm: MikroORM<SqliteDriver>;
  /**
   * Closes the database after open transactions have ended. Rejects work that has not begun. May be
   * called twice.
   */
  close(): Promise<void>;
  /**
   * Waits until the ORM's only connection is free and for the write lock, then runs the work on the
   * ORM's handle within `BEGIN IMMEDIATE` .. `COMMIT`. An exception rolls back. The work is
   * synchronous, so nothing runs in between. A call within a transaction of the ORM would wait for
   * itself and is a `Violation`.
   */
  immediately<Result>(work: (database: Database.Database) => Result): Promise<Result>;
  /**
   * The same for work that can be done again: the commit does not wait for the disk. A power
   * failure may undo it, but no commit of `immediately`.
   */
  immediatelyWithoutSync<Result>(work: (database: Database.Database) => Result): Promise<Result>;
  /** The same without a transaction: the work begins and ends its own. */
  exclusively<Result>(work: (database: Database.Database) => Result): Promise<Result>;
}

export interface PostgresConnection {
  readonly dialect: 'postgres';
  readonly orm: MikroORM<PostgreSqlDriver>;
  /**
   * Closes the database after open transactions have ended. Rejects work that has not begun. May be
   * called twice.
   */
  close(): Promise<void>;
  /** The ORM's own pool. Returns 64-bit integers as numbers. */
  readonly pool: pg.Pool;
}

export interface ConnectionOptions {
  /** `sqlite:<path>`, `sqlite::memory:`, or `postgres://...`. */
  readonly database_url: string;
  /** Postgres: the largest number of connections. */
  readonly pool_max?: number;
}

/**
 * Opens the database. For SQLite it creates the file and its folder, readable by this user only.
 * Creates no table.
 */
export async function connect({ database_url, pool_max = 20 }: ConnectionOptions): Promise<Connection> {
  if (database_url.startsWith('sqlite:')) return connectSqlite(database_url.slice('sqlite:'.length));
  assert(/^postgres(ql)?:\/\//.test(database_url), 'a database URL begins with sqlite:, postgres:// or postgresql://');
  return connectPostgres(database_url, pool_max);
}

const common = {
  entities,
  namingStrategy: EntityCaseNamingStrategy,
  discovery: { afterDiscovered: adaptToDialect },
  extensions: [Migrator],
  migrations: {
    migrationsList: migrations,
    tableName: 'migrations',
    snapshot: false,
    silent: true,
    // Both would need rights on Postgres that the service does not need otherwise.
    disableForeignKeys: false,
  },
};

/**
 * Creates the file unless it exists. To open and close an existing one would end the locks that
 * other connections of this process have on it.
 */
function createFile(path: string): void {
  try {
    closeSync(openSync(path, 'ax', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

async function connectSqlite(path: string): Promise<SqliteConnection> {
  if (path !== ':memory:') {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    createFile(path);
  }
  const database = new Database(path);
  // For opening: another process may open the file at the same time, and may have to recover it.
  database.pragma('busy_timeout = 5000');
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  database.pragma('foreign_keys = ON');
  // Overwritten and deleted data is wiped from its page: after a key rotation no free space
  // contains the old ciphertext.
  database.pragma('secure_delete = FAST');
  database.pragma('temp_store = MEMORY');
  database.pragma('cache_size = -65536');
  database.pragma('mmap_size = 268435456');
  // After a long reader has ended, the log gives its disk space back.
  database.pragma('journal_size_limit = 67108864');
  const checkpoints = checkpointsOn(database);
  // From here on `beginImmediate` waits, which does not block the process.
  database.pragma('busy_timeout = 20');
  const orm = await MikroORM.init({
    ...common,
    driver: SqliteDriver,
    dbName: path,
    driverOptions: sqliteDialect(database, checkpoints.noteCommit),
  });
  const commit = database.prepare('commit');
  const rollback = database.prepare('rollback');
  const kysely = orm.driver.getConnection().getClient();

  async function inTransaction<Result>(work: (database: Database.Database) => Result): Promise<Result> {
    await beginImmediate(database);
    try {
      const result = work(database);
      commit.run();
      checkpoints.noteCommit();
      return result;
    } finally {
      if (database.inTransaction) rollback.run();
    }
  }

  return {
    dialect: 'sqlite',
    orm,
    close: runOnce(async () => {
      await checkpoints.close();
      await kysely.connection().execute(async () => {});
      await orm.close(true);
      // The ORM closes only what it has used.
      database.close();
    }),
    exclusively: (work) => runOutermost(() => kysely.connection().execute(async () => work(database))),
    immediately: (work) => runOutermost(() => kysely.connection().execute(() => inTransaction(work))),
    immediatelyWithoutSync: (work) =>
      runOutermost(() =>
        kysely.connection().execute(async () => {
          database.pragma('synchronous = NORMAL');
          try {
            return await inTransaction(work);
          } finally {
            database.pragma('synchronous = FULL');
          }
        }),
      ),
  };
}

async function connectPostgres(url: string, pool_max: number): Promise<PostgresConnection> {
  const types = new pg.TypeOverrides();
  types.setTypeParser(pg.types.builtins.INT8, (text) => {
    const value = Number(text);
    assert(Number.isSafeInteger(value), `the database holds ${text}, more than a number can tell exactly`);
    return value;
  });
  const pool = new pg.Pool({
    Client: PreparingClient,
    connectionString: url,
    max: pool_max,
    types,
    application_name: 'tallystick',
    connectionTimeoutMillis: 10_000,
    // Compiling a query takes longer than running any of these.
    options: '-c jit=off',
    // A process that stopped within a transaction loses its locks.
    idle_in_transaction_session_timeout: 60_000,
    // Statements are sent without waiting for the previous answer: a pass of the ledger is two
    // round trips.
    pipeline: true,
  } as pg.PoolConfig);
  // A connection that the server closes fails its query, or nothing when it is idle. It must not
  // end the process.
  pool.on('connect', (client) => client.on('error', () => {}));
  pool.on('error', () => {});
  const orm = await MikroORM.init({
    ...common,
    driver: PostgreSqlDriver,
    dbName: decodeURIComponent(new URL(url).pathname.slice(1)) || 'postgres',
    driverOptions: new PostgresDialect({ pool }),
  });
  return {
    dialect: 'postgres',
    orm,
    pool,
    close: runOnce(async () => {
      while (pool.waitingCount > 0 || pool.idleCount < pool.totalCount) await once(pool, 'release');
      // A client released in this turn is still reading its last answer, and `end` would wait for
      // it forever.
      await nextTurn();
      await orm.close(true);
      // The ORM closes only what it has used.
      if (!pool.ending) await pool.end();
    }),
  };
}

function runOnce(work: () => Promise<void>): () => Promise<void> {
  let begun: Promise<void> | undefined;
  return () => {
    begun ??= work();
    return begun;
  };
}
