import { amount_max, type FieldError, type Money, money, refuseFaults } from '@tallystick/kernel';

/** Bounds of a whole number, both included. */
interface Bounds {
  readonly least: number;
  readonly most: number;
}

/**
 * Reads the fields of one request and gathers every problem, so that all are told at once.
 *
 * A null counts as absent. Each reader returns null for a field that is absent or faulty; `sound` tells the two apart,
 * so that a rule over several fields is silent while one of them is faulty by itself.
 */
export class RequestFields {
  readonly #values: Readonly<Record<string, unknown>>;
  readonly #problems: FieldError[] = [];

  constructor(request: Readonly<Record<string, unknown>>) {
    this.#values = request;
  }

  /** Throws the refusal (`validation_failed`) that names every problem, if there is one. */
  settle(): void {
    refuseFaults(this.#problems);
  }

  /** Tells a problem; the message goes on from the path: "must be ...". */
  problem(path: string, message: string): void {
    this.#problems.push({ path, message });
  }

  /** Whether the request gives the field a value. */
  has(name: string): boolean {
    return this.value(name) !== null;
  }

  /** Whether the request names the field, be it to give it null. */
  carries(name: string): boolean {
    return Object.hasOwn(this.#values, name) && this.#values[name] !== undefined;
  }

  /** Whether none of the fields has a problem so far. */
  sound(...names: readonly string[]): boolean {
    return !this.#problems.some(({ path }) => names.includes(path));
  }

  /** The value as it came; null when absent. */
  value(name: string): unknown {
    return this.carries(name) ? this.#values[name] : null;
  }

  require(name: string): void {
    if (!this.has(name)) this.problem(name, 'is required');
  }

  /** A whole number within the bounds. */
  integer(name: string, { least, most }: Bounds): number | null {
    const value = this.value(name);
    if (value === null) return null;
    if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) {
      return value === 0 ? 0 : value;
    }
    this.problem(name, `must be a whole number from ${least} to ${most}, not ${shown(value)}`);
    return null;
  }

  /** An amount in minor units, from `least` to the largest that a caller may name. */
  amount(name: string, least: number): Money | null {
    const value = this.integer(name, { least, most: amount_max });
    return value === null ? null : money(value);
  }

  /** The id of an object: a positive whole number, or its digits as text. */
  id(name: string): number | null {
    const value = this.value(name);
    if (value === null) return null;
    const id = typeof value === 'string' && /^[0-9]{1,16}$/.test(value) ? Number(value) : value;
    if (typeof id === 'number' && Number.isSafeInteger(id) && id > 0) return id;
    this.problem(name, `must be an id: a positive whole number or its digits, not ${shown(value)}`);
    return null;
  }

  /** True or false. */
  flag(name: string): boolean | null {
    const value = this.value(name);
    if (value === null || typeof value === 'boolean') return value;
    this.problem(name, `must be true or false, not ${shown(value)}`);
    return null;
  }

  /** Text that meets `rule`; `expected` says which text would. */
  text(name: string, rule: (text: string) => boolean, expected: string): string | null {
    const value = this.value(name);
    if (value === null) return null;
    if (typeof value === 'string' && rule(value)) return value;
    this.problem(name, `must be ${expected}, not ${shown(value)}`);
    return null;
  }

  /** One of the values, case-sensitive. */
  choice<Value extends string>(name: string, values: readonly Value[]): Value | null {
    const among = (text: string) => (values as readonly string[]).includes(text);
    return this.text(name, among, `one of ${values.join(', ')} (case-sensitive)`) as Value | null;
  }

  /** A calendar date that exists, written YYYY-MM-DD. */
  date(name: string): Temporal.PlainDate | null {
    const text = this.text(name, isCalendarDate, 'a date that exists, as YYYY-MM-DD');
    return text === null ? null : Temporal.PlainDate.from(text);
  }
}

/** An upper-case ISO 4217 code that is in use or was. */
export function isCurrency(text: string): boolean {
  return currencies.has(text);
}

/** The wording of what `isCurrency` allows. */
export const currency_expected = 'a three-letter ISO 4217 code in capitals, such as USD';

const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

/**
 * A faulty value as a message may repeat it: short, and without any digits that could be a card number sent in the
 * wrong place.
 */
export function shown(value: unknown): string {
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  if (typeof value !== 'string') return withoutNumbers(String(value));
  if (value.length > 64) return `text of ${value.length} characters`;
  return withoutNumbers(JSON.stringify(value));
}

function withoutNumbers(text: string): string {
  return text.replace(/[0-9](?:[ .-]?[0-9]){11,}/g, '(many digits)');
}

function isCalendarDate(text: string): boolean {
  if (!/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text)) return false;
  try {
    Temporal.PlainDate.from(text);
    return true;
  } catch {
    return false;
  }
}
