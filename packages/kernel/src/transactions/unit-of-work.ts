/**
 * Runs a function in one transaction.
 *
 * When `run` resolves, everything written through `tx` is durable and visible to every later read.
 * When it rejects, nothing was written. Reads marked "for update" lock their rows until the end.
 * After a conflict (serialization failure, deadlock, busy database) the function runs again from
 * the start with a new `tx`, a limited number of times, so it must do no outside I/O. A `Refusal`
 * or a `Violation` rolls back and is rethrown. Any other error of the database is rethrown as a
 * `Fault`.
 */
export interface UnitOfWork<Tx> {
  /** A call within another `run` or `read`, or within a pass of the ledger, is a `Violation`. */
  run<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>;
  /**
   * Runs a function that only reads. All reads see one state of the database. It neither waits for
   * writers nor makes them wait. A write in it is an error.
   */
  read<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>;
}

/**
 * The unit of work with a hook that is called after each commit of `run`: not after a rollback, and
 * not after `read`. The hook must return at once and must not throw, because the change is durable
 * already.
 */
export function callAfterCommit<Tx>(unitOfWork: UnitOfWork<Tx>, hook: () => void): UnitOfWork<Tx> {
  return {
    async run(work) {
      const result = await unitOfWork.run(work);
      hook();
      return result;
    },
    read: (work) => unitOfWork.read(work),
  };
}

/** The caller and the time of a use case. */
export interface Call {
  /** The company whose data the call may see and change. */
  readonly company_id: number;
  /** For the audit log: `key:<id>`, `command`, `job:<name>`. */
  readonly actor: string;
  readonly request_id: string | null;
  /** The address from which the caller sent its request; null or absent: it sent none. */
  readonly source_address?: string | null | undefined;
  /** The time of the call, read once from the clock; epoch milliseconds. */
  readonly now_ms: number;
}
