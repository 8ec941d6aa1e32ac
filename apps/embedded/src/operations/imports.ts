import type { CallOptions, Id, TransactionOptions } from './call-options.ts';
import type { FileContent } from './file-content.ts';
import type { FilteredListOptions, List, ListOptions } from './list.ts';

/**
 * Imports of clearing files and bank statements. A file is applied in many transactions, so the
 * methods that apply one take no `tx`.
 */
export interface ImportOperations {
  /**
   * Imports a clearing file or a file of bank statements, of any length, and resolves when the
   * import has ended, whatever its status. The same bytes are applied once: bytes that were
   * completed before return the earlier import, and bytes that are being imported are refused
   * (`conflict`). A file whose reading fails applies nothing.
   */
  create(file: FileContent, options: ImportOptions): Promise<Import>;
  /** Lists the imports, the highest id first. */
  list(options?: FilteredListOptions<ImportFilter>): List<Import>;
  /** Reads an import. Refuses `not_found`. */
  read(import_id: Id, options?: TransactionOptions): Promise<Import>;
  /** Lists the quarantined records of an import, newest first. */
  quarantine(import_id: Id, options?: ListOptions): List<Quarantined>;
  /**
   * Tries the quarantined records of an import again, once the cause is gone, in the order of the
   * file. Records that are refused again stay in quarantine. Refuses (`conflict`) an import that is
   * not completed.
   */
  replay(import_id: Id, options?: CallOptions): Promise<Import>;
  /**
   * Applies a held import. When this process stops before its end, it resolves with the import as
   * it is, and the next process applies the rest. Refuses (`conflict`) an import that is not held
   * with a problem that may be accepted.
   */
  release(import_id: Id, release: ImportRelease, options?: CallOptions): Promise<Import>;
}

/** Clearings that were refused and are kept. */
export interface QuarantineOperations {
  /** Lists them, newest first. */
  list(options?: FilteredListOptions<QuarantineFilter>): List<Quarantined>;
  /** Reads a quarantined record. Refuses `not_found`. */
  read(record_id: Id, options?: TransactionOptions): Promise<Quarantined>;
  /**
   * Sends the message of a record again, once the cause is gone. Refuses (`conflict`) when it is
   * refused again, with the reason, or when it is applied already. Takes no `tx`: it waits in a
   * pass with the messages of the network.
   */
  replay(record_id: Id, options?: CallOptions): Promise<Quarantined>;
}

export interface ImportOptions extends CallOptions {
  /** The name of the file, for people; up to 255 characters. */
  readonly name: string;
  /** The format; absent: the first bytes of the file decide. */
  readonly format?: string | undefined;
  /** The profile of a `csv` file. */
  readonly profile?: string | undefined;
  /**
   * True: resolves as soon as the file is checked and staged, with the status `running`. This
   * process applies the rest, and the next one what it leaves.
   */
  readonly respond_async?: boolean | undefined;
}

export interface ImportFilter {
  readonly status?: ImportStatus | undefined;
  readonly format?: string | undefined;
}

export interface QuarantineFilter {
  readonly status?: QuarantineStatus | undefined;
  readonly reason?: QuarantineReason | undefined;
}

/** A clearing that was refused and is kept. */
export interface Quarantined {
  /** Digits. */
  readonly id: string;
  readonly source: 'http' | 'file';
  /** Of a file: its import. */
  readonly import_id: number | null;
  /** Of a file: the number of the record. */
  readonly ordinal: number | null;
  /** Of a file: the byte offset or line of the record. */
  readonly position: number | null;
  /** `applied`: a replay recorded the clearing. */
  readonly status: QuarantineStatus;
  /** Why it was refused the last time. */
  readonly reason: QuarantineReason;
  /** The reason in words. */
  readonly explanation: string;
  /** The fields that were sent. The card number is masked. */
  readonly message: Readonly<Record<string, unknown>>;
  /** How often the message was refused, replays included. */
  readonly count: number;
  /** ISO 8601, UTC. */
  readonly first_seen_at: string;
  /** ISO 8601, UTC. */
  readonly last_seen_at: string;
  /** ISO 8601, UTC. */
  readonly applied_at: string | null;
  /** The clearing of an applied record. */
  readonly clearing_id: number | null;
  readonly type: 'quarantined';
  /** Its path in the HTTP interface. */
  readonly url: string;
}

/** A file that was imported, is being imported, or was not accepted. */
export interface Import {
  /** Digits. */
  readonly id: string;
  /** The name of the file. */
  readonly name: string;
  /** `cdf3`, `ipm`, `csv`, `vcf4`, `bai2`, `camt053`, or one that the host added. */
  readonly format: string;
  /** The profile that was named; null: none. */
  readonly profile: string | null;
  /** The profile by which it was read, named or found; null: none. */
  readonly read_with: ImportProfile | null;
  /** Of all bytes of the file; null until they are read. */
  readonly sha256: string | null;
  /** The id in the header; null: the file has none. */
  readonly file_id: string | null;
  /**
   * `held`: nothing is applied until an operator releases it. `refused`, `truncated`: nothing was
   * applied.
   */
  readonly status: ImportStatus;
  /**
   * Of a running import; else null. Clearings are `applying`; statements are `queued`, `checking`
   * and `recording`.
   */
  readonly phase: 'staging' | 'applying' | 'queued' | 'checking' | 'recording' | null;
  /** Bytes that were read. */
  readonly bytes: number;
  /** Records of the file, header and trailer included. */
  readonly records: number;
  /** Bank statements of the file; 0 for a file of clearings. */
  readonly statements: number;
  /** Clearings, or lines of statements, that were recorded. */
  readonly applied: number;
  /** Clearings or lines that were recorded before, by a message or another file. */
  readonly duplicates: number;
  /** Records in quarantine. */
  readonly quarantined: number;
  /** Applied clearings that matched an authorization or an earlier clearing. */
  readonly matched: number;
  /**
   * Applied clearings whose class is `force_post`, `over` or `suspected_duplicate`, or that are
   * marked for `review`.
   */
  readonly breaks: number;
  /**
   * Records that are neither clearings nor of a statement, by their type in the words of the
   * format.
   */
  readonly other_records: Readonly<Record<string, number>>;
  /** The totals of the trailer in the words of the format, in decimal. */
  readonly control_totals: Readonly<Record<string, string>>;
  /** For example a gap in the sequence of files. */
  readonly warnings: readonly string[];
  /** Why the file was held, refused or truncated. */
  readonly problem: ImportProblem | null;
  /** Why an operator released it; null: it was not released. */
  readonly note: string | null;
  /** ISO 8601, UTC. */
  readonly started_at: string;
  /** Null while it is running; ISO 8601, UTC. */
  readonly finished_at: string | null;
  readonly type: 'import';
  /** Its path in the HTTP interface. */
  readonly url: string;
}

/** How a file was read. */
export interface ImportProfile {
  readonly profile: string;
  /** Of all settings of the profile; two imports with the same hash were read alike. */
  readonly settings_sha256: string;
}

/** Why a file was not applied. */
export interface ImportProblem {
  /** A stable code, such as `trailer_missing`. */
  readonly code: string;
  readonly message: string;
  /** Bytes from the start of the file; null where that is unknown. */
  readonly offset: number | null;
}

/** The release of a held import. */
export interface ImportRelease {
  /** Why it may be applied; the audit log keeps it. */
  readonly note: string;
}

/** Why a clearing was refused. */
export type QuarantineReason =
  | 'unknown_card'
  | 'transaction_of_another_card'
  | 'transaction_of_another_clearing'
  | 'other_billing_currency'
  | 'sum_limit'
  | 'card_mismatch'
  | 'invalid_clearing'
  | 'malformed_record';

/** `applied`: a replay recorded the clearing. */
export type QuarantineStatus = 'quarantined' | 'applied';

/**
 * `held`: nothing is applied until an operator releases it. `refused`, `truncated`: nothing was
 * applied.
 */
export type ImportStatus = 'running' | 'completed' | 'completed_with_quarantine' | 'held' | 'refused' | 'truncated';
