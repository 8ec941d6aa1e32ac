import { setTimeout as delay } from 'node:timers/promises';
import { assert, Fault, Violation } from '@tallystick/kernel';
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

/** How long to wait for the write lock of another process before the work fails, milliseconds. */
export const write_lock_wait_ms = 10_000;
const statements_kept = 300;

/**
 * Kysely's SQLite dialect with another way to begin a transaction. One that may write takes the
 * write lock first, because one that began by reading cannot write after another process has
 * written. The wait for the lock is asynchronous, so this process continues to serve. A read-only
 * transaction does not take the lock, and a write in it fails. Calls `onCommit` after each commit.
 */
export function sqliteDialect(database: Database, onCommit: () => void): Dialect {
  return {
    createDriver: () => new ImmediateDriver(database, onCommit),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (kysely) => new SqliteIntrospector(kysely),
  };
}

const begins = new WeakMap<Database, Statement<unknown[]>>();

/**
 * Begins a transaction that may write. Rejects with a retryable fault when the lock is not
 * available within `write_lock_wait_ms`.
 */
export async function beginImmediate(database: Database): Promise<void> {
  const begin = begins.get(database) ?? database.prepare('begin immediate');
  begins.set(database, begin);
  for (let waited_ms = 0, step_ms = 1; ; step_ms = Math.min(step_ms * 2, 50)) {
    try {
      begin.run();
      return;
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (waited_ms >= write_lock_wait_ms) {
        throw new Fault(`another process has held the database's write lock for ${write_lock_wait_ms} ms`, {
          retryable: true,
          cause: error,
        });
      }
    }
    const wait_ms = step_ms * (0.5 + Math.random() / 2);
    await delay(wait_ms);
    waited_ms += wait_ms;
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY');
}

class ImmediateDriver implements Driver {
  readonly #connection: SqliteConnection;
  readonly #database: Database;
  readonly #onCommit: () => void;

  constructor(database: Database, onCommit: () => void) {
    this.#database = database;
    this.#onCommit = onCommit;
    this.#connection = new SqliteConnection(database);
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection;
  }

  async beginTransaction(_connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    this.#connection.only_reads = settings.accessMode === 'read only';
    if (this.#connection.only_reads) this.#connection.statement('begin').run();
    else await beginImmediate(this.#database);
  }

  async commitTransaction(): Promise<void> {
    this.#connection.only_reads = false;
    this.#connection.statement('commit').run();
    this.#onCommit();
  }

  async rollbackTransaction(): Promise<void> {
    this.#connection.only_reads = false;
    // SQLite rolls back automatically after some errors, such as a full disk.
    if (this.#database.inTransaction) this.#connection.statement('rollback').run();
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

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {
    this.#database.close();
  }
}

/**
 * The only connection. Keeps its prepared statements, because preparing one takes longer than
 * running most.
 */
class SqliteConnection implements DatabaseConnection {
  only_reads = false;
  readonly #database: Database;
  readonly #statements = new Map<string, Statement<unknown[]>>();

  constructor(database: Database) {
    this.#database = database;
  }

  statement(sql: string): Statement<unknown[]> {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare<unknown[]>(sql);
      if (this.#statements.size >= statements_kept) this.#statements.clear();
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const statement = this.statement(sql);
    assert(!this.only_reads || statement.readonly, `a transaction that only reads would write: ${sql}`);
    const values = parameters.map((value) => (typeof value === 'boolean' ? Number(value) : value));
    if (statement.reader) return { rows: statement.all(...values) as Row[] };
    const { changes, lastInsertRowid } = statement.run(...values);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  // biome-ignore lint/correctness/useYield: Kysely's interface asks for it and nothing here streams
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Violation('no query is streamed on SQLite: it would keep the only connection');
  }
}
