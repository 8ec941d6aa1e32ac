import { assert } from '@tallystick/kernel';

/**
 * Returns a frozen copy of a record, as storage keeps it. The caller may change the original
 * afterwards, and no code can change the copy. Undefined members are omitted, as in JSON. Throws a
 * `Violation` when the record contains an object that no database could store, for example an
 * unmasked card number.
 */
export function frozenCopy<Value>(value: Value): Value {
  return copyOf(value) as Value;
}

function copyOf(value: unknown): unknown {
  assert(typeof value !== 'function' && typeof value !== 'symbol', `a record contains a ${typeof value}`);
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Uint8Array) return new Uint8Array(value);
  if (Array.isArray(value)) return Object.freeze(value.map(copyOf));
  const prototype: unknown = Object.getPrototypeOf(value);
  assert(prototype === Object.prototype || prototype === null, 'a record contains an object that is not plain data');
  // Assignment would set the prototype by a member that is called __proto__.
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.freeze(Object.fromEntries(members.map(([name, member]) => [name, copyOf(member)])));
}
