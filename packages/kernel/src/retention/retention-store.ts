import type { Lease } from '../transactions/lease.ts';

/**
 * The kinds of rows with a retention time, in the order in which they are purged: a delivery goes
 * before its event.
 *
 * Authorizations and clearings are not deleted but reduced to what later messages need, so that no
 * balance, no decision and no answer to a repeated message changes.
 */
export const retention_kinds = [
  'delivery_attempts',
  'deliveries',
  'events',
  'clearings',
  'authorizations',
  'mails',
  'consents',
  'audit_entries',
] as const;

export type RetentionKind = (typeof retention_kinds)[number];

/**
 * The kinds whose rows are examined in the order of their ids, with a progress. The due rows of the
 * others are found by an index on their time; of audit entries, by that on their number.
 */
export const walked_kinds: ReadonlySet<RetentionKind> = new Set(['events', 'clearings', 'authorizations']);

/** A row as it is archived: its columns by name, with JSON columns as values. */
export type ArchivedRow = Readonly<Record<string, unknown>>;

/** Which rows are due. Epoch milliseconds of the service's clock. */
export interface RetentionBounds {
  /** Rows from before this instant may go. */
  readonly before_ms: number;
  readonly now_ms: number;
}

/** How far the rows of a kind were examined. */
export interface RetentionProgress {
  /** Rows with ids up to this one were examined. 0 for kinds that are not walked. */
  readonly after_id: number;
  /** The lowest id of an examined row that was old enough and had to stay; null: none. */
  readonly left_id: number | null;
  /** When this walk through the rows began: epoch milliseconds of the service's clock. */
  readonly began_at_ms: number;
}

export interface RetentionBatch {
  readonly rows: readonly ArchivedRow[];
  /** The `after` of the next batch when these rows stay. */
  readonly after: number;
  /** The lowest id of a row of this batch that is old enough and must stay for now; null: none. */
  readonly left_id: number | null;
  /** No further row is old enough. */
  readonly is_last: boolean;
}

/** The rows of one step: one short transaction reads them, and another removes them. */
export const retention_batch_max = 1_000;

/**
 * Rows whose retention time is over, within a transaction.
 *
 * - `delivery_attempts`: by their time. `deliveries`: finished ones, by their end. `mails`: sent
 *   ones, by the time of sending.
 * - `consents`: those that nobody ever authorised, by their creation, while no record of the
 *   authorisation server belongs to them (`mayBeRemoved` of consents).
 * - `audit_entries`: sealed ones by their time, from the beginning of the chain on. None goes
 *   before an older one, and none that `purgeableAuditEntries` does not allow.
 * - `events`: by their time, when no relay has to take them, no delivery of them is kept, and every
 *   subscription has passed them.
 * - `authorizations`, `clearings`: by the time of the decision or the record, when the
 *   authorization holds nothing and their window is over (`isSettled` of cards).
 */
export interface RetentionStore {
  /**
   * Claims the kind for a process and returns its progress. Null while the lease of another process
   * has not expired. A kind without progress begins at 0, at `now_ms`.
   */
  claim(kind: RetentionKind, lease: Lease, now_ms: number): Promise<RetentionProgress | null>;
  /** The progress of the kind; null before the first claim. */
  progress(kind: RetentionKind): Promise<RetentionProgress | null>;
  /**
   * The next rows that are due, at most `retention_batch_max`. `after` is the last examined id of a
   * walked kind, and the number of due rows to pass over of another.
   */
  due(kind: RetentionKind, bounds: RetentionBounds, after: number): Promise<RetentionBatch>;
  /**
   * Deletes the rows, or reduces them. Leaves rows that changed so that they must stay, and rows
   * that another transaction has locked. Returns how many it removed.
   */
  remove(kind: RetentionKind, bounds: RetentionBounds, rows: readonly ArchivedRow[]): Promise<number>;
  /**
   * Writes the progress and extends the lease. Returns false, and writes nothing, when the lease is
   * not this one any more.
   */
  save(kind: RetentionKind, lease: Lease, progress: RetentionProgress): Promise<boolean>;
  release(kind: RetentionKind, lease: Lease): Promise<void>;
}

/** Where rows are kept before they are removed from the database. */
export interface RowArchive {
  /** When it resolves, the rows are durable. A row may be written again after a crash. */
  write(kind: RetentionKind, rows: readonly ArchivedRow[]): Promise<void>;
}
