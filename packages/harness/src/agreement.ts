/**
 * The system and the reference model differ. One of them is wrong; the specification decides which.
 */
export class Disagreement extends Error {
  override readonly name = 'Disagreement';
  readonly what: string;
  readonly expected: unknown;
  readonly actual: unknown;

  constructor(what: string, expected: unknown, actual: unknown) {
    super(`${what}\n  the model says  ${text(expected)}\n  the system says ${text(actual)}`);
    this.what = what;
    this.expected = expected;
    this.actual = actual;
  }
}

/** Throws a `Disagreement` unless both values are the same JSON, in any order of names. */
export function agree(what: string, expected: unknown, actual: unknown): void {
  if (text(expected) !== text(actual)) throw new Disagreement(what, expected, actual);
}

/** JSON with sorted names. */
export function text(value: unknown): string {
  return (
    JSON.stringify(value, (_name, inner: unknown) =>
      typeof inner === 'object' && inner !== null && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
        : inner,
    ) ?? 'undefined'
  );
}
