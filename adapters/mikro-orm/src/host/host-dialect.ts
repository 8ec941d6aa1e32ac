import { type HostTransaction, Violation } from '@tallystick/kernel';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { EachRow } from '../connection/each-row.ts';
import { withoutMark } from '../connection/prepared-statement.ts';

/** What the statements of one call changed besides rows. */
export interface StatementNotes {
  /** A statement changed settings of the transaction. */
  settings_changed: boolean;
}

/**
 * Kysely's dialect of the host's database, whose statements the host's transaction runs.
 * `byte_columns` are the names of the columns that hold bytes.
 */
export function hostDialect(host: HostTransaction, byte_columns: ReadonlySet<string>, notes: StatementNotes): Dialect {
  const connection = new HostConnection(host, byte_columns, notes);
  const createDriver = (): Driver => new HostDriver(connection);
  if (host.dialect === 'sqlite') {
    return {
      createDriver,
      createQueryCompiler: () => new SqliteQueryCompiler(),
      createAdapter: () => new SqliteAdapter(),
      createIntrospector: (kysely) => new SqliteIntrospector(kysely),
    };
  }
  return {
    createDriver,
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (kysely) => new PostgresIntrospector(kysely),
  };
}

class HostDriver implements Driver {
  readonly #connection: DatabaseConnection;

  constructor(connection: DatabaseConnection) {
    this.#connection = connection;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection;
  }

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {}

  beginTransaction = refuseTransaction;
  commitTransaction = refuseTransaction;
  rollbackTransaction = refuseTransaction;
}

async function refuseTransaction(): Promise<never> {
  throw new Violation('the transaction belongs to the host, which alone begins and ends it');
}

class HostConnection implements DatabaseConnection {
  readonly #host: HostTransaction;
  readonly #byte_columns: ReadonlySet<string>;
  readonly #notes: StatementNotes;

  constructor(host: HostTransaction, byte_columns: ReadonlySet<string>, notes: StatementNotes) {
    this.#host = host;
    this.#byte_columns = byte_columns;
    this.#notes = notes;
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    if (sql.includes('set_config(')) this.#notes.settings_changed = true;
    if (parameters[0] instanceof EachRow) {
      const rows: Row[] = [];
      for (const values of parameters[0].rows) {
        rows.push(...((await this.#host.execute({ text: sql, values })).rows as readonly Row[]));
      }
      return { rows };
    }
    const { rows, changes } = await this.#host.execute({ text: withoutMark(sql), values: parameters });
    return { rows: rows.map((row) => this.#withBytes(row)) as Row[], numAffectedRows: BigInt(changes) };
  }

  /** The row with bytes for the text that Postgres writes for them. */
  #withBytes(row: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    let changed: Record<string, unknown> | undefined;
    for (const [name, value] of Object.entries(row)) {
      if (typeof value !== 'string' || !value.startsWith('\\x') || !this.#byte_columns.has(name)) continue;
      changed ??= { ...row };
      changed[name] = Buffer.from(value.slice(2), 'hex');
    }
    return changed ?? row;
  }

  // biome-ignore lint/correctness/useYield: Kysely's interface asks for it and nothing here streams
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Violation('no query is streamed in the transaction of a host: it would keep the connection');
  }
}
