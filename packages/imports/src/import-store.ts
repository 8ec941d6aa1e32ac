import type { Lease, Page, PageRequest } from '@tallystick/kernel';
import type { Import, ImportStatus } from './import.ts';
import type { ImportStatement, ImportStatementStatus } from './statements/import-statement.ts';

/** The claim of a process on a running import. */
export type ImportLease = Pick<Lease, 'token' | 'until_machine_ms'>;

export interface ImportRecord extends Import {
  /** `FileHeader.mode`. */
  readonly mode: 'production' | 'test' | null;
  /**
   * Whether its bytes can be read again after its process died: those of a file, not of a stream.
   */
  readonly is_repeatable: boolean;
  /** The ordinal of the last staged record; 0 before the first. */
  readonly staged_ordinal: number;
  /** How many batches were staged. They are numbered from 1. */
  readonly staged_batches: number;
  /** How many records of the next batch are applied: it may take several passes. */
  readonly applied_of_batch: number;
  readonly lease: ImportLease | null;
}

/**
 * - `clearings`: to be applied; removed when they are
 * - `others`: records that are no clearings, kept for as long as their import
 * - `lines`: lines, after the section that names their statement; removed when they are recorded
 */
export type BatchKind = 'clearings' | 'others' | 'lines';

/** Consecutive records of a file, staged as one row. */
export interface ImportBatch {
  readonly import_id: number;
  readonly kind: BatchKind;
  /** The batches of a kind rise by their numbers, which may have gaps. */
  readonly number: number;
  /** The records as JSON, sealed: they contain card numbers. */
  readonly sealed: Uint8Array;
}

/** Which imports a list shows; an absent name shows all. */
export interface ImportFilter {
  readonly status?: ImportStatus;
  readonly format?: string;
  /** The beginning of the name of the file. */
  readonly name_prefix?: string;
}

/** A file in its series. Test files and others are numbered apart. */
export type PlaceInSeries = Pick<ImportRecord, 'id' | 'format' | 'mode' | 'series' | 'sequence' | 'created_on'>;

/** Imports and their staged batches, within a transaction. */
export interface ImportStore {
  /**
   * Waits until no other transaction decides about imports. Of two that call it, the second sees
   * everything that the first has written.
   */
  lockDecisions(): Promise<void>;
  insert(record: Omit<ImportRecord, 'id'>): Promise<ImportRecord>;
  find(id: number): Promise<ImportRecord | null>;
  /** The import, locked for update. */
  lock(id: number): Promise<ImportRecord | null>;
  /** The import of these bytes. There is at most one. */
  findBySha256(sha256: string): Promise<ImportRecord | null>;
  /** Replaces the record, which the transaction has locked. */
  update(record: ImportRecord): Promise<void>;
  remove(id: number): Promise<void>;
  /** Newest first. */
  list(filter: ImportFilter, page: PageRequest): Promise<Page<ImportRecord>>;
  /**
   * The newest other import with this file id that was accepted: completed, held or applying. Null:
   * there is none.
   */
  findSameFile(file: Pick<Import, 'id' | 'format'> & { readonly file_id: string }): Promise<ImportRecord | null>;
  /**
   * The accepted import that comes before the file in its series: by its day, then by its number.
   * Null: there is none.
   */
  findPrevious(file: PlaceInSeries): Promise<ImportRecord | null>;
  /** Up to `limit` running imports whose lease has ended by this machine time, oldest first. */
  listDead(machine_ms: number, limit: number): Promise<readonly ImportRecord[]>;

  /** The running imports that check or record statements, by rising id. */
  listCheckingStatements(): Promise<readonly ImportRecord[]>;
  statements(import_id: number, statuses: readonly ImportStatementStatus[]): Promise<readonly ImportStatement[]>;
  /** The statements of an import, with a status if it is given, the last of the file first. */
  listStatements(
    filter: { readonly import_id: number; readonly status?: ImportStatementStatus },
    page: PageRequest,
  ): Promise<Page<ImportStatement>>;
  /** Inserts statements, or replaces those with their import and number. */
  putStatements(statements: readonly ImportStatement[]): Promise<void>;
  /**
   * Up to `limit` imports with held statements that wait for an account, with ids above `after_id`,
   * rising.
   */
  listWaiting(after_id: number, limit: number): Promise<readonly number[]>;

  stage(batches: readonly ImportBatch[]): Promise<void>;
  /** Up to `limit` batches of a kind with a number above `after_number`, by rising number. */
  batches(import_id: number, kind: BatchKind, after_number: number, limit: number): Promise<readonly ImportBatch[]>;
  removeBatch(batch: Pick<ImportBatch, 'import_id' | 'kind' | 'number'>): Promise<void>;
  /** Replaces the records of a batch. */
  replaceBatch(batch: ImportBatch): Promise<void>;
  /** Removes what an import staged: its batches and its statements. */
  removeStaged(import_id: number): Promise<void>;
  /** Makes what one import staged that of another, which has staged nothing. */
  moveStaged(from_id: number, to_id: number): Promise<void>;
  /** Up to `limit` batches of any import with a row id above `after_id`, in that order, locked. */
  batchesAfter(
    after_id: number,
    limit: number,
  ): Promise<readonly { readonly id: number; readonly sealed: Uint8Array }[]>;
  /** Replaces the sealed records. They are the same, sealed by a newer key of the ring. */
  reseal(id: number, sealed: Uint8Array): Promise<void>;
}

/**
 * The statuses in which a file takes its id and its place in the series, beside a running one whose
 * phase is one of `staged_phases`.
 */
export const accepted_statuses = ['completed', 'completed_with_quarantine', 'held'] as const;
