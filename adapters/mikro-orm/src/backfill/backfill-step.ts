import type { Database } from 'better-sqlite3';
import type { ClientBase } from 'pg';

/**
 * A change of stored rows that is too long for a migration. It runs beside the service.
 *
 * The rows to copy have numbers: ids, or segments of the event log. The migration creates the empty
 * new structure and a row in `backfills` with the last number of that time. From then on every
 * writer also writes the new structure, so the backfill copies only numbers up to that one, in
 * order and in batches. A batch and its checkpoint commit together. A process that is killed loses
 * the open batch, and another process continues. Several processes may run batches: each batch
 * locks its row of `backfills`.
 *
 * Readers use the old structure until everything is copied, then the new one. The old structure is
 * removed `settle_ms` later, so that no process still reads it.
 *
 * To add a step: append its migration, which calls `startBackfill`, list the step in
 * `backfill-steps.ts`, and let readers ask `Backfills.isCopied`.
 */
export interface BackfillStep {
  /** The key of its row in `backfills`. */
  readonly name: string;
  /** The plural of what is counted, for logs: `authorizations`. */
  readonly unit: string;
  /** The most numbers of one batch. A batch should take a few hundredths of a second. */
  readonly batch_max: number;
  /**
   * Copies the rows with numbers in `(after, through]`. It may find rows copied already, and gaps
   * between the numbers. On SQLite it runs within the write lock and must not await.
   */
  copyOnSqlite(database: Database, range: BackfillRange): void;
  copyOnPostgres(client: ClientBase, range: BackfillRange): Promise<void>;
  /**
   * Statements that remove the old structure, each in a transaction of its own, or in none on
   * Postgres. Each must succeed when it runs again.
   */
  readonly removal: { readonly sqlite: readonly string[]; readonly postgres: readonly string[] };
}

/** The numbers of a batch: above `after`, up to and including `through`. */
export interface BackfillRange {
  readonly after: number;
  readonly through: number;
}
