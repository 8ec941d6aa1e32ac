import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { MikroORM } from '@mikro-orm/core';
import { SqliteDriver } from '@mikro-orm/sql';
import { checkDeadline, type Deadline, machine_timers, type Timers } from '@tallystick/kernel';
import type { Database } from 'better-sqlite3';
import { Kysely } from 'kysely';
import type { SchemaMigration } from '../../schema/migrations/index.ts';
import { closeOnce } from '../closing.ts';
import { closed } from '../faults.ts';
import { outermostOnly, type RunOutermost } from '../nesting.ts';
import { ormOptions } from '../orm-options.ts';
import type { Tables } from '../session.ts';
import { checkpointsOn } from './checkpoints.ts';
import { databaseFile, no_file } from './database-file.ts';
import { loadSqlite } from './load-sqlite.ts';
import { SharedTurns } from './shared-turns.ts';
import { beginImmediate, onceFree, sqliteDialect } from './sqlite-dialect.ts';
import { Turns, waitEnd } from './turns.ts';

/**
 * A SQLite database: one connection that writes, and two that only read (ADR 0023). A database in
 * memory has one connection for all.
 */
export interface SqliteConnection {
  readonly dialect: 'sqlite';
  readonly timers: Timers;
  /** The connection that writes. */
  readonly orm: MikroORM<SqliteDriver>;
  readonly migrations: readonly SchemaMigration[];
  /** The absolute path of the file; null for a database in memory. */
  readonly path: string | null;
  /** SQLite has no schemas. */
  readonly schema: null;
  readonly runOutermost: RunOutermost;
  /** Whether work of a transaction may give way: see `sqliteDialect`. */
  readonly mayGiveWay: (only_reads: boolean) => boolean;
  /** The connection that only reads. It waits for no writer. */
  readonly reader: Kysely<Tables>;
  /** Only reads, for look-ups of a decision, which wait for no other read. */
  readonly look_ups: Kysely<Tables>;
  /**
   * Closes the database after open transactions have ended. Rejects work that has not begun. May be
   * called twice.
   */
  close(): Promise<void>;
  /**
   * Waits for the writing connection and for the write lock, then runs the work within
   * `BEGIN IMMEDIATE` .. `COMMIT`. An exception rolls back. The work is synchronous, so nothing
   * runs in between. A call within a transaction of the ORM would wait for itself and is a
   * `Violation`. Both waits together last at most five seconds, or until the deadline, and then
   * reject with a retryable fault. Nothing is committed after the deadline.
   */
  immediately<Result>(work: (database: Database) => Result, deadline?: Deadline): Promise<Result>;
  /**
   * Does what `immediately` does, for work that can be done again: the commit does not wait for
   * the disk. A power
   * failure may undo it, but no commit of `immediately`.
   */
  immediatelyWithoutSync<Result>(work: (database: Database) => Result): Promise<Result>;
  /**
   * Begins a transaction that the caller ends, on the writing connection: every other writer waits
   * until then. Others that wait come first, between two such transactions. Waits for the write lock
   * as `immediately` does.
   */
  begin(): Promise<BegunTransaction>;
  /**
   * Runs synchronous work on the connection that only reads. It sees every commit that was answered
   * before.
   */
  reading<Result>(work: (database: Database) => Result): Promise<Result>;
  /**
   * Reads without a turn, what never changes: within a transaction of the host on a shared
   * handle no turn begins.
   */
  readNow<Result>(work: (database: Database) => Result): Result;
  /** A number that changes when another connection commits. */
  dataVersion(): Promise<number>;
  /** Throws a retryable fault when the file of the database was deleted or replaced. */
  assertFileInPlace(): void;
}

/** A transaction in progress, which must be ended once. */
export interface BegunTransaction {
  readonly database: Database;
  commit(): Promise<void>;
  rollback(): Promise<void>;
}

/**
 * Opens the database, and creates the file and its folder unless they exist. With `shared`, the
 * handle of a host on a database in memory, that is the connection, and `close` does not close it.
 */
export async function connectSqlite(
  path: string,
  migrations: readonly SchemaMigration[],
  {
    shared,
    owns_process = false,
    timers = machine_timers,
  }: {
    readonly shared?: Database;
    readonly owns_process?: boolean | undefined;
    readonly timers?: Timers | undefined;
  } = {},
): Promise<SqliteConnection> {
  const in_memory = path === ':memory:';
  // Without the library no file is created.
  const Sqlite = shared === undefined ? await loadSqlite() : undefined;
  if (!in_memory) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    createFile(path);
  }
  const writer = shared ?? (await prepareWriter(new Sqlite!(path), timers));
  const openReader = () => (in_memory ? writer : prepareReader(new Sqlite!(path, { readonly: true })));
  const reader = openReader();
  const look_up_reader = openReader();
  const file = in_memory ? no_file : databaseFile(resolve(path));
  const runOutermost = outermostOnly();
  const mayGiveWay = (only_reads: boolean) => shared === undefined && (only_reads || owns_process);
  const write_turns = shared === undefined ? new Turns(timers) : new SharedTurns(shared, timers);
  const read_turns = in_memory ? write_turns : new Turns(timers);
  const look_up_turns = in_memory ? write_turns : new Turns(timers);
  const checkpoints = checkpointsOn(writer, {
    // Once the connection is closed, there is no turn any more.
    betweenReads: (work) => void read_turns.run(() => look_up_turns.run(work)).catch(() => {}),
  });
  const orm = await MikroORM.init({
    ...ormOptions(migrations),
    driver: SqliteDriver,
    dbName: path,
    driverOptions: sqliteDialect(writer, write_turns, {
      beforeCommit: file.assertInPlace,
      afterCommit: checkpoints.noteCommit,
      keeps_open: shared !== undefined,
      mayGiveWay,
    }),
  });
  const kysely = orm.driver.getConnection().getClient<Tables>();
  const reading_kysely = in_memory ? kysely : new Kysely<Tables>({ dialect: sqliteDialect(reader, read_turns) });
  const look_ups = in_memory ? kysely : new Kysely<Tables>({ dialect: sqliteDialect(look_up_reader, look_up_turns) });
  const commit = writer.prepare('commit');
  const rollback = writer.prepare('rollback');

  async function inTransaction<Result>(
    work: (database: Database) => Result,
    wait_end: Deadline,
    deadline?: Deadline,
  ): Promise<Result> {
    await beginImmediate(writer, wait_end, timers);
    try {
      const result = work(writer);
      file.assertInPlace();
      checkDeadline(deadline);
      commit.run();
      checkpoints.noteCommit();
      return result;
    } finally {
      if (writer.inTransaction) rollback.run();
    }
  }

  return {
    dialect: 'sqlite',
    timers,
    orm,
    migrations,
    schema: null,
    runOutermost,
    mayGiveWay,
    path: in_memory ? null : resolve(path),
    reader: reading_kysely,
    look_ups,
    close: closeOnce(async () => {
      await read_turns.close();
      await look_up_turns.close();
      await checkpoints.close();
      await write_turns.close();
      // The connection that writes is closed last: only it can copy the log and remove it.
      await look_ups.destroy();
      await reading_kysely.destroy();
      // Kysely and the ORM close only what they have used.
      if (!in_memory) for (const each of [look_up_reader, reader]) each.close();
      await orm.close(true);
      if (shared === undefined) writer.close();
    }),
    immediately(work, deadline) {
      const wait_end = deadline ?? waitEnd(timers);
      return runOutermost(() => write_turns.run(() => inTransaction(work, wait_end, deadline), wait_end));
    },
    immediatelyWithoutSync(work) {
      const wait_end = waitEnd(timers);
      return runOutermost(() =>
        write_turns.run(async () => {
          writer.pragma('synchronous = NORMAL');
          try {
            return await inTransaction(work, wait_end);
          } finally {
            writer.pragma('synchronous = FULL');
          }
        }, wait_end),
      );
    },
    async begin() {
      await write_turns.takeLong();
      const wait_end = waitEnd(timers);
      const end = (run: () => void): void => {
        try {
          run();
        } finally {
          if (writer.inTransaction) rollback.run();
          write_turns.end();
        }
      };
      try {
        await beginImmediate(writer, wait_end, timers);
      } catch (error) {
        write_turns.end();
        throw error;
      }
      return {
        database: writer,
        commit: async () =>
          end(() => {
            file.assertInPlace();
            commit.run();
            checkpoints.noteCommit();
          }),
        rollback: async () => end(() => {}),
      };
    },
    reading(work) {
      return runOutermost(() => read_turns.run(() => work(reader), waitEnd(timers)));
    },
    readNow: (work) => work(reader),
    dataVersion: () =>
      runOutermost(() =>
        write_turns.run(() => writer.pragma('data_version', { simple: true }) as number, waitEnd(timers)),
      ),
    assertFileInPlace() {
      // A close removes the log.
      if (!writer.open) throw closed();
      file.assertInPlace();
    },
  };
}

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

async function prepareWriter(database: Database, timers: Timers): Promise<Database> {
  // For opening: another process may open the file at the same time, and may have to recover it.
  database.pragma('busy_timeout = 5000');
  // Of the processes that do this to a new file at the same time, SQLite refuses some at once.
  await onceFree(() => database.pragma('journal_mode = WAL'), waitEnd(timers), timers);
  database.pragma('synchronous = FULL');
  database.pragma('foreign_keys = ON');
  // Overwritten and deleted data is wiped from its page: after a key rotation no free space
  // contains the old ciphertext.
  database.pragma('secure_delete = FAST');
  database.pragma('cache_size = -65536');
  // After a long reader has ended, the log releases its disk space.
  database.pragma('journal_size_limit = 67108864');
  readWithoutMap(database);
  // From here on `beginImmediate` waits, which does not block the process.
  database.pragma('busy_timeout = 0');
  return database;
}

function prepareReader(database: Database): Database {
  database.pragma('busy_timeout = 5000');
  // Every commit of the other connection empties this cache.
  database.pragma('cache_size = -16384');
  readWithoutMap(database);
  // A reader waits only while another process recovers the log.
  database.pragma('busy_timeout = 20');
  return database;
}

function readWithoutMap(database: Database): void {
  database.pragma('temp_store = MEMORY');
  // Reads from a mapped file end the process with SIGBUS when the file was truncated.
  database.pragma('mmap_size = 0');
  // Opens the log, which is created by the first read.
  database.pragma('schema_version');
}
