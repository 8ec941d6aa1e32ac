/**
 * Runs a piece of work in one transaction.
 *
 * Promise: when `run` resolves, everything written through `tx` is durable and visible to every later read; when it
 * rejects, nothing is. Reads marked "for update" hold their rows until the end. After a conflict (serialization
 * failure, deadlock, busy database) the work runs again from the start with a fresh `tx`, a bounded number of times:
 * it must do no outside I/O. A `Refusal` or a `Violation` rolls back and passes through; anything else that the
 * database raises arrives as a `Fault`.
 */
export interface UnitOfWork<Tx> {
  /** Never within another `run` or `read`, nor a pass of the ledger: that is a `Violation`. */
  run<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>;
  /**
   * The same for work that only reads. All its reads see one state of the database; it waits for no writer and makes none
   * wait. A write in it is an error.
   */
  read<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>;
}
