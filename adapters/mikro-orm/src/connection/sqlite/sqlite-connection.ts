import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { MikroORM } from '@mikro-orm/core';
import { SqliteDriver } from '@mikro-orm/sql';
import { checkDeadline, type Deadline, Fault, machine_timers, type Timers } from '@tallystick/kernel';
import type { Database } from 'better-sqlite3';
import { Kysely } from 'kysely';
import type { SchemaMigration } from '../../schema/migrations/index.ts';
import { closeOnce } from '../closing.ts';
import { closed } from '../faults.ts';
import { outermostOnly, type RunOutermost } from '../nesting.ts';
import { ormOptions } from '../orm-options.ts';
import type { Tables } from '../session.ts';
import { TakenOver } from './database-file.ts';
import { type Handles, handlesOfHost, type Library, openHandles, openInMemory } from './handles.ts';
import { loadSqlite } from './load-sqlite.ts';
import { hasOtherLibrary } from './other-libraries.ts';
import { reopeningOn } from './reopening.ts';
import { SharedTurns } from './shared-turns.ts';
import { beginImmediate, no_hooks, sqliteDialect } from './sqlite-dialect.ts';
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
   * until then. Others that wait come first, between two such transactions. Waits for the write
   * lock as `immediately` does.
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
  /** How long this process has waited for the write lock of another one, milliseconds in all. */
  lockWaitMs(): number;
  /** Rejects with a retryable fault when the file of the database was deleted or replaced. */
  assertFileInPlace(): Promise<void>;
  /**
   * Does an attempt again, after the file was opened again, when another library in this process
   * has ended our locks on it (ADR 0023). An attempt that has written and resolves is not done
   * again.
   */
  onFile<Result>(attempt: () => Promise<Result>, only_reads: boolean): Promise<Result>;
}

/** A transaction in progress, which must be ended once. */
export interface BegunTransaction {
  readonly database: Database;
  commit(): Promise<void>;
  rollback(): Promise<void>;
}

/**
 * Opens the database, and creates the file unless it exists. Its folder must exist. With `shared`,
 * the handle of a host on a database in memory, that is the connection, and `close` does not close
 * it.
 */
export async function connectSqlite(
  path: string,
  migrations: readonly SchemaMigration[],
  {
    shared,
    library,
    owns_process = false,
    has_thread,
    timers = machine_timers,
  }: {
    readonly shared?: Database;
    /** The copy of better-sqlite3 that opens the file; the installed one when absent. */
    readonly library?: Library;
    readonly owns_process?: boolean | undefined;
    /** Whether a thread copies the log; true when absent. */
    readonly has_thread?: boolean | undefined;
    readonly timers?: Timers | undefined;
  } = {},
): Promise<SqliteConnection> {
  const in_memory = path === ':memory:';
  // Without the library no file is created.
  const opener = (shared?.constructor as Library | undefined) ?? library ?? (await loadSqlite());
  if (!in_memory) {
    assertFolder(dirname(resolve(path)));
  }
  const runOutermost = outermostOnly();
  /**
   * Not on a handle of the host, whose own statements could run in between. Nor while a transaction
   * holds the write lock in the process of a host: a statement of the host would wait for the lock
   * without letting the transaction end.
   */
  const mayGiveWay = (only_reads: boolean) => shared === undefined && (only_reads || owns_process);
  const write_turns = shared === undefined ? new Turns(timers) : new SharedTurns(shared, timers);
  const read_turns = in_memory ? write_turns : new Turns(timers);
  const look_up_turns = in_memory ? write_turns : new Turns(timers);
  // Once the connection is closed, there is no turn any more.
  const betweenReads = (work: () => void) => void read_turns.run(() => look_up_turns.run(work)).catch(() => {});
  const ports = { timers, betweenReads, has_thread };
  const open = (copies_each = false): Promise<Handles> =>
    in_memory ? openInMemory(opener, ports) : openHandles(resolve(path), opener, { ...ports, copies_each });
  let handles: Handles;
  const reopening = reopeningOn({
    path: in_memory ? null : resolve(path),
    library: opener,
    handles: () => handles,
    turns: [read_turns, look_up_turns, write_turns],
    leave: () => handles.leave(),
    async open() {
      handles = await open(true);
    },
  });
  await reopening.openFirst(async () => {
    handles = shared === undefined ? await open() : handlesOfHost(shared, ports);
  });
  let index_version: number | null = null;
  /** Changes when another connection commits or builds the index of the log; null: not known now. */
  const indexVersion = (): number | null => {
    if (!hasOtherLibrary() || handles.look_ups.inTransaction) return null;
    try {
      return handles.look_ups.pragma('data_version', { simple: true }) as number;
    } catch {
      // Another process recovers the log.
      return null;
    }
  };
  const noteIndex = (): void => {
    index_version = indexVersion();
  };
  /**
   * Nobody else commits during a transaction that may write. Another library that opens the file
   * builds the index again: SQLite would compare it with the old one for ten seconds in the commit.
   */
  const assertIndexKept = (): void => {
    handles.file.assertInPlace();
    const version = indexVersion();
    if (index_version === null || version === null || version === index_version) return;
    throw new TakenOver(resolve(path));
  };
  const orm = await MikroORM.init({
    ...ormOptions(migrations),
    driver: SqliteDriver,
    dbName: path,
    // What waits for this connection may be a decision, and would wait longer.
    driverOptions: sqliteDialect(() => handles.writer, write_turns, {
      afterBegin: noteIndex,
      beforeCommit: assertIndexKept,
      afterCommit: () => handles.checkpoints.noteCommit(),
      keeps_open: shared !== undefined,
      mayGiveWay: (only_reads) => !write_turns.is_wanted && mayGiveWay(only_reads),
    }),
  });
  const kysely = orm.driver.getConnection().getClient<Tables>();
  const reading_kysely = in_memory
    ? kysely
    : // No decision waits for it.
      new Kysely<Tables>({
        dialect: sqliteDialect(() => handles.reader, read_turns, { ...no_hooks, mayGiveWay: () => true }),
      });
  const look_ups = in_memory
    ? kysely
    : new Kysely<Tables>({ dialect: sqliteDialect(() => handles.look_ups, look_up_turns) });

  async function inTransaction<Result>(
    work: (database: Database) => Result,
    wait_end: Deadline,
    deadline?: Deadline,
  ): Promise<Result> {
    const { writer, file, checkpoints, commit, rollback } = handles;
    await beginImmediate(writer, wait_end, write_turns);
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
      try {
        await read_turns.close();
        await look_up_turns.close();
        await handles.checkpoints.close();
        await write_turns.close();
        // What is at the path belongs to others.
        if (handles.file.isLogLost() && handles.file.logAtPath() !== 'none') await handles.leave();
        // The connection that writes is closed last: only it can copy the log and remove it.
        await look_ups.destroy();
        await reading_kysely.destroy();
        // Kysely and the ORM close only what they have used.
        if (!in_memory) for (const each of [handles.look_ups, handles.reader]) each.close();
        await orm.close(true);
      } finally {
        // Other instances wait for it before they open the file again.
        if (shared === undefined) handles.writer.close();
        reopening.end();
      }
    }),
    immediately(work, deadline) {
      const wait_end = deadline ?? waitEnd(timers);
      const attempt = () => write_turns.run(() => inTransaction(work, wait_end, deadline), wait_end);
      return runOutermost(() => reopening.onFile(attempt, false));
    },
    immediatelyWithoutSync(work) {
      const wait_end = waitEnd(timers);
      const attempt = () =>
        write_turns.run(async () => {
          const { writer } = handles;
          writer.pragma('synchronous = NORMAL');
          try {
            return await inTransaction(work, wait_end);
          } finally {
            writer.pragma('synchronous = FULL');
          }
        }, wait_end);
      return runOutermost(() => reopening.onFile(attempt, false));
    },
    async begin() {
      await write_turns.takeLong();
      const wait_end = waitEnd(timers);
      const { writer, checkpoints, commit, rollback } = handles;
      const end = (run: () => void): void => {
        try {
          run();
        } finally {
          if (writer.inTransaction) rollback.run();
          write_turns.end();
        }
      };
      try {
        await beginImmediate(writer, wait_end, write_turns);
      } catch (error) {
        write_turns.end();
        throw error;
      }
      noteIndex();
      return {
        database: writer,
        async commit() {
          end(() => {
            assertIndexKept();
            commit.run();
            checkpoints.noteCommit();
          });
          await reopening.reopenIfLost();
        },
        rollback: async () => end(() => {}),
      };
    },
    reading(work) {
      const attempt = () => read_turns.run(() => work(handles.reader), waitEnd(timers));
      return runOutermost(() => reopening.onFile(attempt, true));
    },
    readNow: (work) => work(handles.reader),
    dataVersion: () =>
      runOutermost(() =>
        write_turns.run(() => handles.writer.pragma('data_version', { simple: true }) as number, waitEnd(timers)),
      ),
    lockWaitMs: () => write_turns.lock_wait_ms,
    async assertFileInPlace() {
      await reopening.reopenIfLost();
      // A close removes the log.
      if (!handles.writer.open) throw closed();
      handles.file.assertInPlace();
    },
    onFile: reopening.onFile,
  };
}

function assertFolder(folder: string): void {
  if (existsSync(folder)) return;
  throw new Fault(`the folder ${folder} does not exist: make it, or correct the address of the database`, {
    retryable: false,
  });
}
