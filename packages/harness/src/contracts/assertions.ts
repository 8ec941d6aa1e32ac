import { assert, Fault, Refusal, toHex } from '@tallystick/kernel';

/**
 * Throws a `Violation` unless the two values are equal, member by member. Bytes are compared as
 * bytes.
 */
export function assertEqual(found: unknown, expected: unknown, what: string): void {
  if (!isEqual(found, expected)) assert(false, `${what}: found ${shown(found)}, expected ${shown(expected)}`);
}

/** Throws a `Violation` unless each expected value equals one of those found. */
export function assertIncludes(found: readonly unknown[], expected: readonly unknown[], what: string): void {
  const missing = expected.filter((value) => !found.some((one) => isEqual(one, value)));
  if (missing.length > 0) assert(false, `${what}: found ${shown(found)}, without ${shown(missing)}`);
}

/** Throws a `Violation` unless the work rejects with an error that `isExpected` accepts. */
export async function assertRejects(
  work: Promise<unknown>,
  isExpected: (error: unknown) => boolean,
  what: string,
): Promise<void> {
  const [outcome] = await Promise.allSettled([work]);
  assert(outcome.status === 'rejected', `${what}: it did not reject`);
  assert(isExpected(outcome.reason), `${what}: it rejected with ${String(outcome.reason)}`);
}

function isEqual(a: unknown, b: unknown): boolean {
  if (a === b || Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (a instanceof Uint8Array || b instanceof Uint8Array) {
    return a instanceof Uint8Array && b instanceof Uint8Array && toHex(a) === toHex(b);
  }
  if (a instanceof Map || b instanceof Map) {
    return a instanceof Map && b instanceof Map && isEqual([...a], [...b]);
  }
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  const members = b as Readonly<Record<string, unknown>>;
  return Object.entries(a).every(([name, value]) => Object.hasOwn(b, name) && isEqual(value, members[name]));
}

function shown(value: unknown): string {
  const text = JSON.stringify(value, (_name, member: unknown) => {
    if (member instanceof Uint8Array) return toHex(member);
    return member instanceof Map ? [...member] : member;
  });
  return text === undefined ? String(value) : text.slice(0, 2_000);
}

/**
 * Returns the refusal with which the work rejects. Asserts that the work rejects with a refusal.
 */
export async function refusalOf(work: Promise<unknown>, what: string): Promise<Refusal> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  assert(error instanceof Refusal, `${what}: expected a refusal, got ${error === null ? 'a result' : String(error)}`);
  return error;
}

/** Asserts that the work throws a fault that is not retryable. */
export function assertFault(work: () => unknown, what: string): void {
  let error: unknown = null;
  try {
    work();
  } catch (thrown) {
    error = thrown;
  }
  assert(error instanceof Fault, `${what}: expected a fault, got ${error === null ? 'a result' : String(error)}`);
  assert(!error.retryable, `${what}: the fault says that a retry may succeed`);
}
