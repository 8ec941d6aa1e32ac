import type { Timers } from '@tallystick/kernel';
import type { SchemaMigration } from '../schema/migrations/index.ts';
import type { Connections } from './postgres/connections.ts';

export interface ConnectionOptions {
  /** `sqlite:<path>`, `sqlite::memory:`, or `postgres://...`. */
  readonly database_url: string;
  /**
   * A handle of the host in place of the address: a `Database` of better-sqlite3 or a `Pool` of pg.
   * Own connections are opened to its database, except that one in memory is the connection itself,
   * and work waits while the host has a transaction open on it. Never closed here. Rejects with
   * `UnusableHandle` for anything else.
   */
  readonly database?: object | undefined;
  /**
   * Postgres: the schema of the tables, which `migrate` creates unless it exists; `public` when
   * absent. A name of a-z, 0-9 and _.
   */
  readonly schema?: string | undefined;
  /**
   * Postgres: the most connections of this process, all in all; 15 when absent, at least 3. When
   * the server gives fewer, work waits for those that can be had.
   */
  readonly connections_max?: number | undefined;
  /** Called when the server begins to give fewer connections than wanted. */
  readonly onFewerConnections?: ((connections: Connections) => void) | undefined;
  /** The time to the deadline of a decision, milliseconds; 5,000 when absent. */
  readonly decision_ms_max?: number | undefined;
  /**
   * No other code of this process uses the database. On SQLite a transaction that writes gives way
   * between its statements then. False when absent: the synchronous statement of a host would stop
   * the process, and so the transaction whose lock it waits for.
   */
  readonly owns_process?: boolean | undefined;
  /**
   * SQLite: whether a thread copies the log (ADR 0021); true when absent. Otherwise commits do, so that
   * everything happens in the order of this process.
   */
  readonly copies_log_in_thread?: boolean | undefined;
  /** Those of the machine when absent. */
  readonly timers?: Timers | undefined;
  /** The migrations of this version; for tests of an upgrade. */
  readonly migrations?: readonly SchemaMigration[];
}
