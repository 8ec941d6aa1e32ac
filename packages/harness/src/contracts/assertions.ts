import { assert, Fault, Refusal } from '@tallystick/kernel';
import { text } from '../agreement.ts';

/** Asserts that the two are the same JSON, whatever the order of names. Bytes are compared by content. */
export function assertSame(what: string, actual: unknown, expected: unknown): void {
  const [is, should_be] = [text(withBytesAsText(actual)), text(withBytesAsText(expected))];
  assert(is === should_be, `${what}: expected ${should_be}, got ${is}`);
}

/** The refusal that the work rejects with. Asserts that it rejects, and with nothing else. */
export async function refusalOf(work: Promise<unknown>, what: string): Promise<Refusal> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  assert(error instanceof Refusal, `${what}: expected a refusal, got ${error === null ? 'a result' : String(error)}`);
  return error;
}

/** Asserts that the work throws a fault that no retry mends. */
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

function withBytesAsText(value: unknown): unknown {
  if (value instanceof Uint8Array) return `bytes ${value.toHex()}`;
  if (Array.isArray(value)) return value.map(withBytesAsText);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withBytesAsText(inner)]));
}
