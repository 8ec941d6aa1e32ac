import { isPrintable, isWithin, showValue } from '@tallystick/kernel';
import { type OpenBankingErrorCode, type OpenBankingProblem, OpenBankingRefusal } from '../open-banking-refusal.ts';

/** The most problems that one refusal reports. */
const problems_max = 100;

/** The longest path and the longest message of a problem (OBError1). */
const problem_length_max = 500;

/** An object of a request: its members by name. */
export type Members = Readonly<Record<string, unknown>>;

/**
 * Reads the body of one request of a third party and collects every problem, in the order of the
 * request, so that one refusal reports them all. A member that is null is invalid: the standard
 * knows no null. Each reader returns null for a member that is absent or invalid.
 */
export class RequestBody {
  readonly #problems: OpenBankingProblem[] = [];

  /** The whole body. Refuses `UK.OBIE.Resource.InvalidFormat` what is not an object. */
  readBody(body: unknown): Members {
    if (isObject(body)) return body;
    const message = `the body must be a JSON object, not ${showValue(body)}`;
    throw new OpenBankingRefusal('invalid', [{ code: 'UK.OBIE.Resource.InvalidFormat', message }]);
  }

  /** Throws the refusal that reports every problem, if there is one. */
  refuseInvalid(): void {
    const [first, ...others] = this.#problems;
    if (first !== undefined) throw new OpenBankingRefusal('invalid', [first, ...others]);
  }

  add(code: OpenBankingErrorCode, path: string, message: string): void {
    if (this.#problems.length === problems_max) return;
    this.#problems.push({ code, path: bounded(path), message: bounded(message) });
  }

  /** Reports every member of an object that the standard does not name. */
  refuseUnexpected(object: Members, path: string, expected: readonly string[]): void {
    for (const name of Object.keys(object)) {
      if (expected.includes(name)) continue;
      const shown = showValue(name);
      this.add('UK.OBIE.Field.Unexpected', join(path, memberPath(name)), `${shown} is not a member of this request`);
    }
  }

  /** The object that is this member, with no members but the expected ones. */
  readObject(parent: Members, path: string, name: string, expected: readonly string[]): Members | null {
    const value = this.#readMember(parent, path, name);
    if (value === undefined) return null;
    const its_path = join(path, name);
    if (!isObject(value)) {
      this.add('UK.OBIE.Field.Invalid', its_path, `${its_path} must be an object, not ${showValue(value)}`);
      return null;
    }
    this.refuseUnexpected(value, its_path, expected);
    return value;
  }

  /** The array that is this member, of at most `length_max` items. */
  readArray(parent: Members, path: string, name: string, length_max: number): readonly unknown[] | null {
    const value = this.#readMember(parent, path, name);
    if (value === undefined) return null;
    if (Array.isArray(value) && value.length <= length_max) return value;
    const sent = Array.isArray(value) ? `${value.length} items` : showValue(value);
    const its_path = join(path, name);
    this.add(
      'UK.OBIE.Field.Invalid',
      its_path,
      `${its_path} must be an array of up to ${length_max} items, not ${sent}`,
    );
    return null;
  }

  /**
   * Printable text of 1 to `length_max` characters. `is_secret`: the message does not repeat the
   * value.
   */
  readText(
    parent: Members,
    path: string,
    name: string,
    length_max: number,
    { is_optional = false, is_secret = false } = {},
  ): string | null {
    if (is_optional && !has(parent, name)) return null;
    const value = this.#readMember(parent, path, name);
    if (value === undefined) return null;
    // A code point has at most two code units.
    const is_short = typeof value === 'string' && isWithin(value, length_max);
    if (is_short && value !== '' && isPrintable(value)) return value;
    const its_path = join(path, name);
    const shown = is_secret ? '' : `, not ${showValue(typeof value === 'string' ? value.toWellFormed() : value)}`;
    this.add(
      'UK.OBIE.Field.Invalid',
      its_path,
      `${its_path} must be text of 1 to ${length_max} printable characters${shown}`,
    );
    return null;
  }

  /** What `parse` reads from the text of an optional member. It returns null for other text. */
  readOptional<Value>(
    parent: Members,
    path: string,
    name: string,
    parse: (text: string) => Value | null,
    { code, expected }: { readonly code: OpenBankingErrorCode; readonly expected: string },
  ): Value | null {
    if (!has(parent, name)) return null;
    const value = parent[name];
    const parsed = typeof value === 'string' ? parse(value) : null;
    if (parsed !== null) return parsed;
    const its_path = join(path, name);
    this.add(code, its_path, `${its_path} must be ${expected}, not ${showValue(value)}`);
    return null;
  }

  #readMember(parent: Members, path: string, name: string): unknown {
    if (has(parent, name)) return parent[name];
    const its_path = join(path, name);
    this.add('UK.OBIE.Field.Missing', its_path, `${its_path} is required`);
    return undefined;
  }
}

function bounded(text: string): string {
  return text.slice(0, problem_length_max).toWellFormed();
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function has(object: Members, name: string): boolean {
  return Object.hasOwn(object, name) && object[name] !== undefined;
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

/** A name that a third party chose, in a path: bounded, and without digits of a card number. */
function memberPath(name: string): string {
  if (/^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(name)) return name;
  return `[${showValue(name)}]`;
}
