import { AsyncLocalStorage } from 'node:async_hooks';
import { UnusableTransaction } from '@tallystick/kernel';

/** The end of the last transaction on each handle. */
const ends = new WeakMap<object, Promise<void>>();

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
  const result = (ends.get(handle) ?? Promise.resolve()).then(() => inside.run([...outer, handle], work));
  ends.set(
    handle,
    result.then(
      () => undefined,
      () => undefined,
    ),
  );
  return await result;
}
