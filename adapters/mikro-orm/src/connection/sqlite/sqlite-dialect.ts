import { assert, type Deadline, Fault, type GiveWay, giveWayWith, machine_timers, Violation } from '@tallystick/kernel';
import type { Database, Statement } from 'better-sqlite3';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type TransactionSettings,
} from 'kysely';
import { EachRow } from '../each-row.ts';
import { type Turns, waitEnd } from './turns.ts';

/** The pause between two attempts to take the lock: short transactions let it go for a few. */
const retry_every_ms = 1;
const statements_kept = 300;

/** What a connection calls in each transaction that may write. */
export interface CommitHooks {
  readonly afterBegin: () => void;
  /** May throw: the transaction is then rolled back. */
  readonly beforeCommit: () => void;
  readonly afterCommit: () => void;
  /** The handle belongs to the host, who closes it. */
  readonly keeps_open?: boolean;
  /**
   * Whether other code of the process may run between two statements; while reading when absent, if
   * no other transaction waits for the connection.
   */
  readonly mayGiveWay?: (only_reads: boolean) => boolean;
}

export const no_hooks: CommitHooks = { afterBegin() {}, beforeCommit() {}, afterCommit() {} };

/**
 * Kysely's SQLite dialect with another way to begin a transaction. One that may write takes the
 * write lock first, because one that began by reading cannot write after another process has
 * written. The wait for the lock is asynchronous, so this process continues to serve. A read-only
 * transaction does not take the lock, and a write in it fails. Transactions of one connection take
 * turns.
 *
 * Statements are synchronous, so a transaction gives way to other work of the process before it
 * begins and, where `mayGiveWay` permits it, between two statements (ADR 0054).
 */
export function sqliteDialect(database: () => Database, turns: Turns, hooks: CommitHooks = no_hooks): Dialect {
  return {
    createDriver: () => new TurnDriver(database, turns, hooks),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new TurnAdapter(),
    createIntrospector: (kysely) => new SqliteIntrospector(kysely),
  };
}

const begins = new WeakMap<Database, Statement<unknown[]>>();

/**
 * Begins a transaction that may write. Rejects with a retryable fault when the lock is not
 * available by then.
 */
export async function beginImmediate(database: Database, wait_end: Deadline, turns: Turns): Promise<void> {
  const { timers } = turns;
  const begin = begins.get(database) ?? database.prepare('begin immediate');
  begins.set(database, begin);
  const began_ms = timers.monotonicNow();
  try {
    await onceFree(() => begin.run(), wait_end, timers);
  } finally {
    turns.lock_wait_ms += timers.monotonicNow() - began_ms;
  }
}

/**
 * Runs a statement as soon as no other process locks what it needs. Rejects with a retryable fault
 * when one still does by then.
 */
export async function onceFree(run: () => void, wait_end: Deadline, { pause } = machine_timers): Promise<void> {
  for (;;) {
    try {
      run();
      return;
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (wait_end.leftMs() <= 0) {
        throw new Fault('another process holds the write lock of the database', { retryable: true, cause: error });
      }
    }
    await pause(Math.min(retry_every_ms, wait_end.leftMs()));
  }
}

/** Whether another process holds the lock, or the host has begun a transaction on a shared handle. */
function isBusy(error: unknown): boolean {
  if (!(error instanceof Error && 'code' in error)) return false;
  return String(error.code).startsWith('SQLITE_BUSY') || error.message.includes('within a transaction');
}

/** Kysely would queue without a bound. Here the driver does, in `Turns`. */
class TurnAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

class TurnDriver implements Driver {
  readonly #connection: SqliteConnection;
  readonly #database: () => Database;
  readonly #turns: Turns;
  readonly #hooks: CommitHooks;
  /** Until when the present turn may wait for the write lock. */
  #wait_end: Deadline;
  readonly #giveWay: GiveWay;

  constructor(database: () => Database, turns: Turns, hooks: CommitHooks) {
    this.#database = database;
    this.#turns = turns;
    this.#hooks = hooks;
    this.#wait_end = waitEnd(turns.timers);
    this.#giveWay = giveWayWith(turns.timers);
    const { mayGiveWay = (only_reads) => only_reads && !turns.is_wanted } = hooks;
    this.#connection = new SqliteConnection(database, (only_reads) =>
      mayGiveWay(only_reads) ? this.#giveWay() : undefined,
    );
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    await this.#giveWay();
    const wait_end = waitEnd(this.#turns.timers);
    await this.#turns.take(wait_end);
    this.#wait_end = wait_end;
    this.#connection.users += 1;
    return this.#connection;
  }

  async releaseConnection(): Promise<void> {
    this.#connection.users += 1;
    this.#turns.end();
  }

  async beginTransaction(_connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    this.#connection.only_reads = settings.accessMode === 'read only';
    if (!this.#connection.only_reads) {
      await beginImmediate(this.#database(), this.#wait_end, this.#turns);
      this.#hooks.afterBegin();
      return;
    }
    const begin = () => void this.#connection.statement('begin').run();
    // Only on a handle of the host can a transaction be open that is not ours.
    if (this.#hooks.keeps_open) await onceFree(begin, this.#wait_end, this.#turns.timers);
    else begin();
  }

  async commitTransaction(): Promise<void> {
    const { only_reads } = this.#connection;
    if (!only_reads) this.#hooks.beforeCommit();
    this.#connection.statement('commit').run();
    this.#connection.only_reads = false;
    if (!only_reads) this.#hooks.afterCommit();
  }

  async rollbackTransaction(): Promise<void> {
    this.#connection.only_reads = false;
    // SQLite rolls back automatically after some errors, such as a full disk.
    if (this.#database().inTransaction) this.#connection.statement('rollback').run();
  }

  async savepoint(_connection: DatabaseConnection, name: string): Promise<void> {
    this.#connection.statement(`savepoint "${name}"`).run();
  }

  async rollbackToSavepoint(_connection: DatabaseConnection, name: string): Promise<void> {
    this.#connection.statement(`rollback to "${name}"`).run();
  }

  async releaseSavepoint(_connection: DatabaseConnection, name: string): Promise<void> {
    this.#connection.statement(`release "${name}"`).run();
  }

  async destroy(): Promise<void> {
    if (!this.#hooks.keeps_open) this.#database().close();
  }
}

/** Keeps its prepared statements, because preparing one takes longer than running most. */
class SqliteConnection implements DatabaseConnection {
  only_reads = false;
  /** Changes when the connection is taken and when it is released. */
  users = 0;
  readonly #database: () => Database;
  readonly #giveWay: (only_reads: boolean) => ReturnType<GiveWay>;
  #prepared_on: Database | null = null;
  readonly #statements = new Map<string, Statement<unknown[]>>();

  constructor(database: () => Database, giveWay: (only_reads: boolean) => ReturnType<GiveWay>) {
    this.#database = database;
    this.#giveWay = giveWay;
  }

  statement(sql: string): Statement<unknown[]> {
    const database = this.#database();
    if (database !== this.#prepared_on) this.#statements.clear();
    this.#prepared_on = database;
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = database.prepare<unknown[]>(sql);
      if (this.#statements.size >= statements_kept) this.#statements.clear();
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const later = this.#giveWay(this.only_reads);
    if (later !== undefined) {
      const { users } = this;
      await later;
      // Of several statements at the same time another one has failed, and the transaction is over.
      if (users !== this.users) throw new Fault('the transaction has ended', { retryable: true });
    }
    const statement = this.statement(sql);
    assert(!this.only_reads || statement.readonly, `a transaction that only reads would write: ${sql}`);
    if (parameters[0] instanceof EachRow) {
      const { rows } = parameters[0];
      if (statement.reader) return { rows: rows.flatMap((values) => statement.all(values) as Row[]) };
      for (const values of rows) statement.run(values);
      return { rows: [] };
    }
    const values = parameters.map((value) => (typeof value === 'boolean' ? Number(value) : value));
    if (statement.reader) return { rows: statement.all(...values) as Row[] };
    const { changes, lastInsertRowid } = statement.run(...values);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  // biome-ignore lint/correctness/useYield: Kysely's interface asks for it and nothing here streams
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Violation('no query is streamed on SQLite: it would keep the connection');
  }
}
