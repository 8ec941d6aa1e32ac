import { AsyncLocalStorage } from 'node:async_hooks';
import { assert } from '@tallystick/kernel';

/**
 * Runs work that opens a transaction. Within another transaction of the same database this is a
 * `Violation`: the work would not be part of the outer transaction. On SQLite it would also wait for
 * itself, on Postgres it would hold two connections.
 */
export type RunOutermost = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** One for each open database: several may be open in one process. */
export function outermostOnly(): RunOutermost {
  const inside = new AsyncLocalStorage<true>();
  return (work) => {
    assert(
      inside.getStore() === undefined,
      'a transaction was opened within a transaction of the same database: pass the outer one on as { tx }',
    );
    return inside.run(true, work);
  };
}
