import { AsyncLocalStorage } from 'node:async_hooks';
import { assert } from '@tallystick/kernel';

const inside = new AsyncLocalStorage<true>();

/**
 * Runs work that opens a transaction. Within another transaction this is a `Violation`: the work
 * would not be part of the outer transaction. On SQLite it would also wait for itself, on Postgres
 * it would hold two connections.
 */
export function runOutermost<Result>(work: () => Promise<Result>): Promise<Result> {
  assert(inside.getStore() === undefined, 'a transaction was opened within a transaction');
  return inside.run(true, work);
}
