import type { CallOptions, TransactionOptions } from './call-options.ts';
import type { FileContent } from './file-content.ts';
import type {
  Id,
  Import,
  ImportRelease,
  ImportStatus,
  Quarantined,
  QuarantineReason,
  QuarantineStatus,
} from './generated/resources.ts';
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
