import { type FieldError, invalid } from '../errors.ts';
import { isDay } from '../time/calendar.ts';
import { maskDigitRuns } from '../values/card-number-mask.ts';
import { amount_max, type Money, money } from '../values/money.ts';
import { nameHint } from './nearest-name.ts';

/** The most problems that a refusal names. */
export const named_max = 50;

/** Bounds of a whole number or of a length, both included. */
export interface Bounds {
  readonly min: number;
  readonly max: number;
}

/**
 * Reads the fields of one request and collects the problems, so that one refusal reports them all, up
 * to `named_max`.
 *
 * A null stands for the default: readers treat it as absent, and `resets` recognizes it in a
 * change. Each reader returns null for a field that is absent or invalid;
 * `areSound` distinguishes the two, so that a rule over several fields is silent while one of them
 * is invalid on its own. Messages continue the path: "must be ..., not ...".
 */
export class RequestFields {
  readonly #values: Readonly<Record<string, unknown>>;
  readonly #problems: FieldError[];
  readonly #prefix: string;

  constructor(request: object, problems: FieldError[] = [], prefix = '') {
    this.#values = request as Readonly<Record<string, unknown>>;
    this.#problems = problems;
    this.#prefix = prefix;
  }

  /** The fields of an object in this request. Their problems are this request's, with their path. */
  within(path: string, value: unknown): RequestFields {
    const is_object = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (!is_object) this.addProblem(path, `must be an object, not ${showValue(value)}`);
    return new RequestFields(is_object ? value : {}, this.#problems, `${this.#prefix}${path}.`);
  }

  /** The names of the fields that the request has. */
  get names(): readonly string[] {
    return Object.keys(this.#values);
  }

  /** Every problem so far. */
  get problems(): readonly FieldError[] {
    return this.#problems;
  }

  /** Throws the refusal (`validation_failed`) that names every problem, if there is one. */
  refuseInvalid(): void {
    const [first, ...others] = this.#problems;
    if (first !== undefined) throw invalid(first, ...others);
  }

  /** Adds a problem; the message continues the path: "must be ...". A null message adds none. */
  addProblem(path: string, message: string | null): void {
    if (message === null || this.#problems.length >= named_max) return;
    this.#problems.push({ path: this.#prefix + path, message });
  }

  /** Whether the request has a value for the field. */
  has(name: string): boolean {
    return this.get(name) !== null;
  }

  /** Whether the request names the field, even with null as its value. */
  carries(name: string): boolean {
    return Object.hasOwn(this.#values, name) && this.#values[name] !== undefined;
  }

  /** Whether the request sends null for the field: in a change, this resets it to its default. */
  resets(name: string): boolean {
    return this.carries(name) && this.#values[name] === null;
  }

  /** Whether none of the fields has a problem so far. */
  areSound(...names: readonly string[]): boolean {
    return !this.#problems.some(({ path }) => names.some((name) => path === this.#prefix + name));
  }

  /** The value as it was sent; null when absent. */
  get(name: string): unknown {
    const value = this.#values[name];
    return value === undefined || !Object.hasOwn(this.#values, name) ? null : value;
  }

  /** Adds a problem for each field that is none of these. Bodies over HTTP are checked before. */
  refuseOthers(known: readonly string[]): void {
    for (const name of this.names) {
      if (!known.includes(name)) this.addProblem(name, `is unknown; ${nameHint(name, known)}`);
    }
  }

  /** Adds a problem when the field is absent; `expected` says what belongs there. */
  require(name: string, expected?: string): void {
    if (!this.has(name)) this.addProblem(name, expected === undefined ? 'is required' : `is required: ${expected}`);
  }

  /** A whole number within the bounds. */
  readInteger(name: string, { min, max }: Bounds): number | null {
    const value = this.get(name);
    if (value === null) return null;
    if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) {
      return value === 0 ? 0 : value;
    }
    this.addProblem(name, `must be a whole number from ${min} to ${max}, not ${showValue(value)}`);
    return null;
  }

  /** An amount in minor units, from `min` to the largest that a caller may name. */
  readAmount(name: string, min: number): Money | null {
    const value = this.readInteger(name, { min, max: amount_max });
    return value === null ? null : money(value);
  }

  /** The id of an object: a positive whole number, or its digits as text. */
  readId(name: string): number | null {
    const value = this.get(name);
    if (value === null) return null;
    const id = typeof value === 'string' && /^[0-9]{1,16}$/.test(value) ? Number(value) : value;
    if (typeof id === 'number' && Number.isSafeInteger(id) && id > 0) return id;
    this.addProblem(name, `must be an id: a positive whole number or its digits, not ${showValue(value)}`);
    return null;
  }

  readFlag(name: string): boolean | null {
    const value = this.get(name);
    if (value === null || typeof value === 'boolean') return value;
    this.addProblem(name, `must be true or false, not ${showValue(value)}`);
    return null;
  }

  /** Text that meets `rule`; `expected` says which text does. */
  readText(name: string, rule: (text: string) => boolean, expected: string): string | null {
    return this.readParsed(name, (text) => (rule(text) ? text : null), expected);
  }

  /** Text that meets `rule`, for a secret or a card number: the message does not repeat the value. */
  readSecret(name: string, rule: (text: string) => boolean, expected: string): string | null {
    const value = this.get(name);
    if (value === null) return null;
    if (typeof value === 'string' && rule(value)) return value;
    this.addProblem(name, `must be ${expected}`);
    return null;
  }

  /** What `parse` reads from text. It returns null, or throws a `RangeError`, for text that it cannot read. */
  readParsed<Value>(name: string, parse: (text: string) => Value | null, expected: string): Value | null {
    const value = this.get(name);
    if (value === null) return null;
    const parsed = typeof value === 'string' ? tryParse(parse, value) : null;
    if (parsed === null) this.addProblem(name, `must be ${expected}, not ${showValue(value)}`);
    return parsed;
  }

  /** One of the values, case-sensitive. */
  readChoice<Value extends string>(name: string, values: readonly Value[]): Value | null {
    const value = this.get(name);
    if (value === null) return null;
    const chosen = values.find((one) => one === value);
    if (chosen !== undefined) return chosen;
    this.addProblem(name, `must be one of ${values.join(', ')} (case-sensitive), not ${showValue(value)}`);
    return null;
  }

  /** A calendar date that exists, written YYYY-MM-DD. */
  readDate(name: string): string | null {
    return this.readParsed(name, (text) => (isDay(text) ? text : null), 'a date that exists, as YYYY-MM-DD');
  }

  /** An array whose length is within the bounds; `items` is the word for what it holds: "names". */
  readArray(name: string, { min, max }: Bounds, items: string): readonly unknown[] | null {
    const value = this.get(name);
    if (value === null) return null;
    if (Array.isArray(value) && value.length >= min && value.length <= max) return value;
    const size = max === Number.POSITIVE_INFINITY ? '' : min === 0 ? `at most ${max} ` : `${min} to ${max} `;
    const sent = Array.isArray(value) ? String(value.length) : showValue(value);
    this.addProblem(name, `must be an array of ${size}${items}, not ${sent}`);
    return null;
  }
}

function tryParse<Value>(parse: (text: string) => Value | null, text: string): Value | null {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** Longer text is not repeated; its length is reported. */
const shown_length_max = 64;

/**
 * An invalid value as a message may repeat it: short, and without digits that could be a card
 * number sent in the wrong place.
 */
export function showValue(value: unknown): string {
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  if (typeof value !== 'string') return maskDigitRuns(String(value));
  if (value.length > shown_length_max) return `text of ${value.length} characters`;
  return JSON.stringify(maskDigitRuns(value));
}
