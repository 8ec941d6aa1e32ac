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
