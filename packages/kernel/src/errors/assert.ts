/** A bug of ours: an invariant did not hold. Never shown to a caller. */
export class Violation extends Error {
  override readonly name = 'Violation';
}

/** Throws a `Violation` unless the condition holds. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Violation(message);
}
