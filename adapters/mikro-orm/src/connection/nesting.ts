import { AsyncLocalStorage } from 'node:async_hooks';
import { assert } from '@tallystick/kernel';

const inside = new AsyncLocalStorage<true>();

/**
 * Runs work that opens a transaction. Within another transaction this is a `Violation`: on SQLite
 * the work would wait for itself forever, on Postgres it would hold two connections and not be part
 * of the outer transaction.
 */
export function runOutermost<Result>(work: () => Promise<Result>): Promise<Result> {
  assert(inside.getStore() === undefined, 'a transaction was opened within a transaction');
  return inside.run(true, work);
}
