import type { HostTransaction } from '@tallystick/kernel';

const values = new WeakMap<object, HostTransaction>();

/**
 * The same value for the same transaction of a library, so that one that is over is recognised, even
 * when its connection is within another transaction by then.
 */
export function remembered(transaction: object, make: () => HostTransaction): HostTransaction {
  const known = values.get(transaction);
  if (known !== undefined) return known;
  const made = make();
  values.set(transaction, made);
  return made;
}
