import { assert } from '@tallystick/kernel';

/**
 * A frozen copy of a record, as storage keeps it: the caller may change the original afterwards,
 * and nobody can change the copy. Members that are undefined are left out, as JSON leaves them out.
 * Violates when the record holds an object that no database could keep, for example a card number
 * in clear.
 */
export function frozenCopy<Value>(value: Value): Value {
  return copyOf(value) as Value;
}

function copyOf(value: unknown): unknown {
  assert(typeof value !== 'function' && typeof value !== 'symbol', `a record holds a ${typeof value}`);
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Uint8Array) return new Uint8Array(value);
  if (Array.isArray(value)) return Object.freeze(value.map(copyOf));
  const prototype: unknown = Object.getPrototypeOf(value);
  assert(prototype === Object.prototype || prototype === null, 'a record holds an object that is not plain data');
  const copy: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) if (member !== undefined) copy[name] = copyOf(member);
  return Object.freeze(copy);
}
