import { assert, Fault, Refusal } from '@tallystick/kernel';

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
