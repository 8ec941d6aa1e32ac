import { AsyncLocalStorage } from 'node:async_hooks';
import { assert } from '@tallystick/kernel';

const inside = new AsyncLocalStorage<true>();

/**
 * Runs the work, which opens a transaction, unless a transaction is open around it already: on SQLite it would wait for
 * itself for ever, on Postgres it would hold two connections and not be part of the outer one. That is a `Violation`.
 */
export function outermost<Result>(work: () => Promise<Result>): Promise<Result> {
  assert(inside.getStore() === undefined, 'a transaction was opened within a transaction');
  return inside.run(true, work);
}
