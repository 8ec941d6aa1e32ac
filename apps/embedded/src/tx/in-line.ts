import { AsyncLocalStorage } from 'node:async_hooks';
import { createHandleQueue, UnusableTransaction } from '@tallystick/kernel';

const inTurn = createHandleQueue();

/** The handles in whose transactions the caller is. */
const inside = new AsyncLocalStorage<readonly object[]>();

/**
 * Runs the work after the earlier work with the same handle, which is one connection. Within that
 * work it would wait for itself, and rejects with `UnusableTransaction`.
 */
export async function inLine<Result>(handle: object, work: () => Promise<Result>): Promise<Result> {
  const outer = inside.getStore() ?? [];
  if (outer.includes(handle)) {
    throw new UnusableTransaction(
      'a transaction on this handle is open already: pass on the tx of the outer transaction instead of the handle',
    );
  }
  return await inTurn(handle, () => inside.run([...outer, handle], work));
}
