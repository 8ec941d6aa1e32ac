import { invalid, isStorable } from '@tallystick/kernel';
import { nesting_max, values_max } from '../call/body.ts';

/**
 * Returns a copy of a value as JSON has it: null, booleans, finite numbers, text, arrays and plain
 * objects. Members that are undefined are left out. Refuses (`validation_failed`) by name whatever
 * JSON cannot carry, what a request could not carry either (text that cannot be stored, more than
 * `nesting_max` levels or `values_max` values), and objects of a class: a `Date` or a `Map` would be
 * another value, or nothing, after JSON. `root` names the value in a refusal.
 */
export function toPlainJson(value: unknown, root: string): unknown {
  return copy(value, '', root, 0, { left: values_max });
}

function copy(value: unknown, path: string, root: string, depth: number, values: { left: number }): unknown {
  const refuse = (message: string) => invalid({ path: path === '' ? root : path, message });
  values.left -= 1;
  if (values.left < 0) throw invalid({ path: root, message: `has more than ${values_max} values` });
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'string') {
    if (isStorable(value)) return value;
    throw refuse('contains a NUL or half a surrogate pair, which is not text');
  }
  if (typeof value === 'number') {
    // JSON has no negative zero.
    if (Number.isFinite(value)) return value === 0 ? 0 : value;
    throw refuse(`must be a finite number, not ${value}`);
  }
  if (typeof value !== 'object') throw refuse(`must be a value that JSON can carry, not ${nameOf(value)}`);
  if (depth === nesting_max) throw refuse(`nests deeper than ${nesting_max} levels`);
  if (Array.isArray(value)) {
    return Array.from(value, (item, index) => copy(item, `${path}[${index}]`, root, depth + 1, values));
  }
  if (!isPlain(value)) throw refuse(`must be a plain object or a value that JSON can carry, not ${nameOf(value)}`);
  const copied: Record<string, unknown> = {};
  for (const [name, inner] of Object.entries(value)) {
    if (inner === undefined) continue;
    if (!isStorable(name)) throw refuse('has a name with a NUL or half a surrogate pair, which is not text');
    const member = copy(inner, path === '' ? name : `${path}.${name}`, root, depth + 1, values);
    // `__proto__` is an ordinary name, as in parsed JSON.
    Object.defineProperty(copied, name, { value: member, enumerable: true, configurable: true, writable: true });
  }
  return copied;
}

/** Whether the object is of no class. Plain objects of another realm are plain here as well. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return (
    prototype === null ||
    (Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype as object, 'isPrototypeOf'))
  );
}

/** What kind of value it is, without the value, which may be a card number. */
function nameOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return value === undefined ? 'undefined' : `a ${typeof value}`;
  const made_by = (value as { readonly constructor?: unknown }).constructor;
  const name = typeof made_by === 'function' ? made_by.name : '';
  return /^[A-Za-z_$][\w$]{0,63}$/.test(name) ? `an object of the class ${name}` : 'an object of a class';
}
