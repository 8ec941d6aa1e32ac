import type { HostTransaction } from '@tallystick/kernel';

/** Options of every method. */
export interface CallOptions {
  /**
   * Who acts, as the audit log and the histories name it: `user:42`. 1 to 128 printable characters;
   * `embedded` when absent.
   */
  readonly actor?: string | undefined;
  /** For the log, the audit log and the events: the id of the host's own request. */
  readonly request_id?: string | undefined;
}

/** Options of a method that is one transaction. */
export interface TransactionOptions extends CallOptions {
  /**
   * An open transaction in which the call takes part: one of the host, from `fromPg` or its
   * siblings, or the `tx` of a subscription's handler. What the call reads and writes is part of it,
   * and commits or rolls back with the rest. Absent: the call is a transaction of its own, and its
   * changes are durable when the promise resolves.
   */
  readonly tx?: HostTransaction | { readonly host: HostTransaction } | undefined;
}

/** Which page of a list. */
export interface PageOptions {
  /** The most items of a page, 1 to 100; 50 when absent. */
  readonly limit?: number | undefined;
  /** The `next` of an earlier page, with the same filters. */
  readonly after?: string | undefined;
  /** Leaves out this many items; not together with `after`. */
  readonly offset?: number | undefined;
}

/** Which items of a list. */
export interface FilterOptions<Filter> {
  readonly filter?: Filter | undefined;
}

/**
 * The content of a file, of any length: its text, its bytes, or its bytes in chunks as they come,
 * such as a stream.
 */
export type FileContent = string | Uint8Array | AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
