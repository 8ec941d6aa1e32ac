import type { ComparedValue } from './reference/cases.ts';

/** Expected where the system may choose any value. */
export const any_value = '(any)';

/** Expected where the system chooses an approval code. */
export const approval_code = '(six characters)';

export interface Difference {
  /** The names that lead to the value, with points between them; empty: the whole. */
  readonly path: string;
  readonly expected: unknown;
  readonly actual: unknown;
}

/**
 * The first difference between what the model expects and what the system has, or null. Names that
 * only the system has are not compared, except those in metadata. The file of a reproduction contains
 * this function, so it refers to nothing outside of itself.
 */
export function findDifference(expected: unknown, actual: unknown, path = ''): Difference | null {
  const unreported = ['uses', 'authorizations', 'clearings', 'class', 'match_rule', 'review'];
  const optional = ['left', 'frozen', 'balance', 'metadata', 'emails', 'supplier_id', 'merchant_controls'];
  const different = { path, expected, actual };
  if (expected === '(any)') return null;
  if (expected === '(six characters)') return typeof actual === 'string' && actual.length === 6 ? null : different;
  if (typeof expected !== 'object' || typeof actual !== 'object' || expected === null || actual === null) {
    return expected === actual ? null : different;
  }
  if (Array.isArray(expected) !== Array.isArray(actual)) return different;
  if (Array.isArray(expected) && Array.isArray(actual)) {
    // If a request is wrong in two ways, a refusal may name either field.
    if (path === 'fields') {
      return expected.length === 0 || expected.some((field) => actual.includes(field)) ? null : different;
    }
    if (expected.length !== actual.length) return different;
  }
  const wanted = expected as Readonly<Record<string, unknown>>;
  const seen = actual as Readonly<Record<string, unknown>>;
  if (wanted.kind !== seen.kind) return different;
  const is_whole = path.endsWith('metadata');
  if (is_whole && Object.keys(wanted).length !== Object.keys(seen).length) return different;
  for (const [name, value] of Object.entries(wanted)) {
    if (seen[name] === null && unreported.includes(name)) continue;
    if (seen[name] === undefined && optional.includes(name)) continue;
    const found = findDifference(value, seen[name], path === '' ? name : `${path}.${name}`);
    if (found !== null) return found;
  }
  return null;
}

/**
 * The system and the reference model differ. One of them is wrong; the specification decides which.
 */
export class Disagreement extends Error {
  override readonly name = 'Disagreement';
  readonly what: string;
  readonly expected: unknown;
  readonly actual: unknown;
  /** What was compared, if it was not the answer to a message. */
  readonly about: ComparedValue | null;

  constructor(what: string, expected: unknown, actual: unknown, about: ComparedValue | null = null) {
    super(`${what}\n  the model says  ${text(expected)}\n  the system says ${text(actual)}`);
    this.what = what;
    this.expected = expected;
    this.actual = actual;
    this.about = about;
  }
}

/** Throws a `Disagreement` unless the system has what the model expects. */
export function agree(what: string, expected: unknown, actual: unknown, about: ComparedValue | null = null): void {
  const found = findDifference(expected, actual);
  if (found === null) return;
  const name = found.path.replace(/^value\.?/, '');
  throw new Disagreement(name === '' ? what : `${what}: ${name}`, found.expected, found.actual, about);
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
