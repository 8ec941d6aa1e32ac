import type { Payload } from '@tallystick/events';
import type { Page, PageRequest } from '@tallystick/kernel';
import type { RecordOfFile } from '../records/clearing.ts';

export const quarantine_sources = ['http', 'file'] as const;

export type QuarantineSource = (typeof quarantine_sources)[number];

/** Why a clearing was not applied (decision: clearing). */
export const quarantine_reasons = [
  'unknown_card',
  'transaction_of_another_card',
  /** The card has a clearing with the transaction id that states something else. */
  'transaction_of_another_clearing',
  'other_billing_currency',
  'sum_limit',
  /** The masked number beside the card's id ends in other digits than the card's. */
  'card_mismatch',
  /** A record of a file whose fields do not make a clearing, or a message whose id names nothing. */
  'invalid_clearing',
  /** A record of a file that could not be read. */
  'malformed_record',
] as const;

export type QuarantineReason = (typeof quarantine_reasons)[number];

export const quarantine_statuses = ['quarantined', 'applied'] as const;

export type QuarantineStatus = (typeof quarantine_statuses)[number];

/** A clearing that was refused and is kept, so that it can be applied once the cause is gone. */
export interface QuarantinedRecord {
  readonly id: number;
  /** Identifies the message. The same message is kept once, however often it comes. */
  readonly identity_sha256: Uint8Array;
  readonly source: QuarantineSource;
  /** Of a file: its import, the ordinal of the record, and its byte offset or line. */
  readonly import_id: number | null;
  readonly ordinal: number | null;
  readonly position: number | null;
  readonly status: QuarantineStatus;
  readonly reason: QuarantineReason;
  /** The reason in words, with the values at fault. */
  readonly explanation: string;
  /** The fields of the message. The card number is masked. */
  readonly excerpt: Payload;
  /** The whole message, with its card number. */
  readonly message_sealed: Uint8Array;
  /** How often it was refused, replays included. */
  readonly count: number;
  readonly first_seen_at_ms: number;
  readonly last_seen_at_ms: number;
  /** Set when a replay applied it. */
  readonly applied_at_ms: number | null;
  /** The clearing that a replay recorded or found recorded. */
  readonly clearing_id: number | null;
  readonly request_id: string | null;
}

/**
 * A refused message, as a pass writes it. A known one adds to its count. One that comes in a file
 * takes the place of that record.
 */
export type RefusedRecord = Omit<QuarantinedRecord, 'id' | 'status' | 'applied_at_ms' | 'clearing_id'>;

/** Which records a list shows; an absent name shows all. */
export interface QuarantineFilter {
  readonly status?: QuarantineStatus;
  readonly reason?: QuarantineReason;
  readonly import_id?: number;
}

/** A quarantined record that is applied, and what it counts as on its import. */
export interface AppliedRecord {
  readonly id: number;
  /** Null for a record that turned out to be no clearing. */
  readonly clearing_id: number | null;
  /** The clearing was recorded before. */
  readonly is_duplicate: boolean;
  /** `isMatched` and `isBreak` of a clearing that was not recorded before; else false. */
  readonly is_matched: boolean;
  readonly is_break: boolean;
}

/** Quarantined records, within a transaction. Only passes of the ledger insert them. */
export interface QuarantineStore {
  find(id: number): Promise<QuarantinedRecord | null>;
  /** Newest first. */
  list(filter: QuarantineFilter, page: PageRequest): Promise<Page<QuarantinedRecord>>;
  /**
   * Marks the record as applied. Returns false, and changes nothing, unless it is `quarantined`: of
   * two transactions that race, one returns true. A record of a file also counts on its import: as
   * applied, with its match and its break, or as a duplicate, and no more as quarantined. The
   * import without an open record is `completed`.
   */
  apply(record: AppliedRecord, at_ms: number): Promise<boolean>;
  /**
   * Marks several records of one import as applied, and counts them on it once. Skips a record that
   * is not `quarantined`, or that another import has.
   */
  applyOfImport(import_id: number, records: readonly AppliedRecord[], at_ms: number): Promise<void>;
  /**
   * Up to `limit` open records of an import with an ordinal above `after_ordinal`, in their order.
   */
  openOfImport(import_id: number, after_ordinal: number, limit: number): Promise<readonly QuarantinedRecord[]>;
  /** How many records have the status `quarantined`. */
  countOpen(): Promise<number>;
  /** Up to `limit` records with an id above `after_id`, in id order, locked for update. */
  listAfter(after_id: number, limit: number): Promise<readonly QuarantinedRecord[]>;
  /** Replaces the sealed message. The message is the same, sealed by a newer key of the ring. */
  reseal(id: number, message_sealed: Uint8Array): Promise<void>;
}

export function sourceOf(
  place: RecordOfFile | null,
): Pick<RefusedRecord, 'source' | 'import_id' | 'ordinal' | 'position'> {
  return place === null
    ? { source: 'http', import_id: null, ordinal: null, position: null }
    : { source: 'file', ...place };
}
