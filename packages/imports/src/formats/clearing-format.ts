import type { ClearingInput } from '@tallystick/cards';
import type { OtherRecords } from '../staging/count-others.ts';
import type { FileLine, FileStatement, FileStatementEnd, StatementFileContent } from '../statements/statement-items.ts';
import type { RecordPlace } from './record-place.ts';

/**
 * A clearing as a file states it. An import makes an id in the place of one that is absent or names
 * nothing (`namesNothing`).
 */
export type StatedClearing = Omit<ClearingInput, 'network_financial_transaction_id'> & {
  readonly network_financial_transaction_id?: string | null;
};

export interface FileClearing extends RecordPlace {
  readonly kind: 'clearing';
  /** As the network could have sent it; `normalizeClearing` validates it. */
  readonly input: StatedClearing;
  /** The format has no transaction ids, and made this one from the file and the record. */
  readonly synthetic_id: boolean;
  /**
   * The last four digits of a masked number beside `vcn_id`: they must be those of the card. Else
   * null.
   */
  readonly last4: string | null;
  /** Names of stated additions that cannot be read. They are null in `input`, with a warning. */
  readonly unread?: readonly string[];
}

/**
 * A record of a known type that cannot be read. A clearing is quarantined; the statement to which a
 * line belongs is held. The file goes on.
 */
export interface BadRecord extends RecordPlace {
  readonly kind: 'bad';
  /** snake_case, stable: `amount_malformed`. */
  readonly code: string;
  /** What is wrong with which element. Contains no card number. */
  readonly reason: string;
  /** The bytes of the record, at most `record_bytes_max`. May contain a card number. */
  readonly raw: Uint8Array;
  /**
   * Where the record begins in `raw`, when a header that is needed to read it comes before it. The
   * excerpt begins there. 0 when absent.
   */
  readonly record_from?: number;
}

/** A record that is no clearing: stored and counted, never applied. */
export interface OtherRecord extends RecordPlace {
  readonly kind: 'other';
  /** In the words of the format: `1740/700`. */
  readonly type: string;
  /** The bytes of the record, which are kept encrypted. Absent: only its type is counted. */
  readonly raw?: Uint8Array;
}

/** What the header says. Comes before any other item. */
export interface FileHeader extends RecordPlace {
  readonly kind: 'header';
  /** The id that no two files of the format share; null when the format has none. */
  readonly file_id: string | null;
  /** The files of one sender and type are numbered within a series. Null: not numbered. */
  readonly series: string | null;
  readonly sequence: number | null;
  /** The day of the sequence, YYYY-MM-DD; null when the format has none. */
  readonly created_on: string | null;
  readonly mode: 'production' | 'test' | null;
}

/**
 * The file is whole, and its control totals agree. The last item of every file that is accepted.
 */
export interface FileEnd {
  readonly kind: 'end';
  /** Records of the file, header and trailer included. */
  readonly records: number;
  /**
   * The totals in the words of the format, counts and sums as decimal text: `{ PDS0306: '42' }`.
   */
  readonly control_totals: Readonly<Record<string, string>>;
  /**
   * Records that are parts of a clearing and no items of their own, by their type; absent when the
   * format has none. They are counted with the records that are no clearings.
   */
  readonly part_records?: OtherRecords;
}

/**
 * What a format reads, in the order of the file: a header, records, and an end. The records are of
 * clearings, or of bank statements.
 */
export type FileItem =
  | FileHeader
  | FileClearing
  | FileStatement
  | FileLine
  | FileStatementEnd
  | BadRecord
  | OtherRecord
  | FileEnd;

/**
 * Several items in the order of the file, and how many bytes of the file have been read with them.
 */
export interface ItemBatch {
  readonly items: readonly FileItem[];
  readonly bytes: number;
}

export interface FileOfRecord extends RecordPlace, Pick<FileHeader, 'file_id' | 'created_on'> {}

export interface ReadOptions {
  /** The profile, for a format that has some. */
  readonly profile?: string | undefined;
}

/** A profile with all settings that decide how a file is read. They are values of JSON. */
export interface FormatProfile {
  readonly name: string;
}

export interface WrittenClearing {
  /** A card with `vcn_id` is written by that id and a masked number, where the format allows it. */
  readonly input: ClearingInput;
  /** The last four digits of the card, for a masked number. */
  readonly last4?: string;
  /** Writes a currency code that does not exist, so that a reader reports the record as bad. */
  readonly malformed?: boolean;
}

export interface FileContent {
  /**
   * The place of the file in its series, from 1; the format makes the file id of it and of
   * `created_on`.
   */
  readonly sequence: number;
  /** YYYY-MM-DD. */
  readonly created_on: string;
  readonly mode: 'production' | 'test';
  /** Taken once, one after another, so that a file of any size is written in constant memory. */
  readonly clearings: Iterable<WrittenClearing>;
}

/**
 * A format of clearing files or of bank statements. A host adds its own by passing it to the
 * registry.
 */
export interface ClearingFormat {
  /** `cdf3`. */
  readonly name: string;
  /** For people. */
  readonly title: string;
  /** Whether a file that begins so is of this format. `head` has up to `head_bytes` bytes. */
  detect(head: Uint8Array, file_name: string | null): boolean;
  /**
   * Reads a file in the order of its records, in constant memory, no faster than its items are
   * taken. Throws `FileProblem` for a file that cannot be accepted, and for nothing else that the
   * bytes of a file contain. Items that came before a problem must not be applied.
   */
  read(chunks: AsyncIterable<Uint8Array>, options?: ReadOptions): AsyncIterable<ItemBatch>;
  /**
   * Reads the `raw` bytes of a bad record again, after the format or a profile was corrected.
   * Absent: a bad record of this format can only come again in another file.
   */
  readRecord?(raw: Uint8Array, file: FileOfRecord, options?: ReadOptions): FileClearing | BadRecord | OtherRecord;
  /**
   * Its statements may lack balances, because totals of the file check the lines. Else one that lacks
   * a balance is held, until a person releases it.
   */
  readonly may_lack_balances?: boolean;
  /** The names of its profiles. Absent: it has none. */
  readonly profiles?: readonly string[];
  /**
   * The profile by which `read` reads a file that begins so; null when none fits. An import that
   * was interrupted while it was staged continues only with the same settings. Absent: the name of
   * the profile alone is compared.
   */
  findProfile?(head: Uint8Array, options?: ReadOptions): FormatProfile | null;
  /**
   * The ways to write the format, the default first: `vbs-ascii`, `1014-cp500`; empty for one way.
   */
  readonly variants?: readonly string[];
  /** Writes a file that `read` accepts. Absent: the format is only read. */
  write?(content: FileContent, variant?: string): Iterable<Uint8Array>;
  /** Writes a file of bank statements that `read` accepts. Absent: the format writes none. */
  writeStatements?(content: StatementFileContent, variant?: string): Iterable<Uint8Array>;
}

/** How much of a file `detect` sees. */
export const head_bytes = 4096;

/** The longest record that any format accepts, in bytes. */
export const record_bytes_max = 65_536;
