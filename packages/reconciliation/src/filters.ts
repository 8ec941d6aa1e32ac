import { type FieldError, invalidQuery, isDay, nearestName, showValue, sum_max } from '@tallystick/kernel';

/** Dates, YYYY-MM-DD, both ends included. An end that is absent does not bound them. */
export interface DateRange {
  readonly from?: string;
  readonly to?: string;
}

/** Amounts in minor units, both ends included. An end that is absent does not bound them. */
export interface AmountRange {
  readonly from?: number;
  readonly to?: number;
}

/** Reads the text of each filter: returns its part of the filter, or the problem of the text. */
export type FilterReaders<Filter> = Readonly<Record<string, (text: string, now_ms: number) => Filter | string>>;

/**
 * Reads the filters of a list: pairs of a name and its text. Refuses (`invalid_query`) all unknown
 * names and malformed values together. `of` is what the list has, in the plural.
 */
export function parseFilters<Filter>(
  { readers, of }: { readonly readers: FilterReaders<Filter>; readonly of: string },
  filters: Iterable<readonly [name: string, text: string]>,
  now_ms: number,
): Filter {
  let filter = {} as Filter;
  const errors: FieldError[] = [];
  for (const [name, text] of filters) {
    const read = Object.hasOwn(readers, name)
      ? readers[name]!(text, now_ms)
      : describeUnknown(name, of, Object.keys(readers));
    if (typeof read === 'string') errors.push({ path: name, message: read });
    else filter = { ...filter, ...read };
  }
  if (errors.length > 0) throw invalidQuery(...errors);
  return filter;
}

function describeUnknown(name: string, of: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  const hint = nearest === null ? `these are: ${known.join(', ')}` : `did you mean ${nearest}?`;
  return `is not a filter of ${of}; ${hint}`;
}

/**
 * Reads the dates of a filter with this name: a date, or `[from,to]`. All dates when it is absent.
 * Refuses (`invalid_query`) any other text.
 */
export function readDateRange(name: string, filters: ReadonlyMap<string, string>): DateRange {
  const text = filters.get(name);
  const range = text === undefined ? {} : parseDates(text, (dates) => dates);
  if (typeof range === 'string') throw invalidQuery({ path: name, message: range });
  return range;
}

/** Reads a date, or a range of dates: `set` makes its part of the filter. */
export function parseDates<Filter>(text: string, set: (dates: DateRange) => Filter): Filter | string {
  const dates = readRange(text, (end) => (isDay(end) ? end : null), 'a date, YYYY-MM-DD');
  return typeof dates === 'string' ? dates : set(dates);
}

/** Reads an amount, or a range of amounts: `set` makes its part of the filter. */
export function parseAmounts<Filter>(text: string, set: (amounts: AmountRange) => Filter): Filter | string {
  const expected = `an amount in minor units, an integer from -${sum_max} to ${sum_max}`;
  const amounts = readRange(text, readAmount, expected);
  return typeof amounts === 'string' ? amounts : set(amounts);
}

function readAmount(text: string): number | null {
  const amount = /^-?\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  return Math.abs(amount) <= sum_max ? amount + 0 : null;
}

/** The most characters of a text that a filter compares. */
const filter_text_length_max = 200;

/** Reads a text that a filter compares as it is: `set` makes its part of the filter. */
export function parseText<Filter>(text: string, set: (text: string) => Filter): Filter | string {
  const wanted = text.trim();
  if (wanted !== '' && [...wanted].length <= filter_text_length_max) return set(wanted);
  return `must be text of 1 to ${filter_text_length_max} characters, not ${showValue(text)}`;
}

/** Reads a value of a list. */
export function oneOf<Value extends string, Filter>(
  values: readonly Value[],
  text: string,
  set: (value: Value) => Filter,
): Filter | string {
  const value = values.find((known) => known === text);
  return value === undefined ? `must be one of ${values.join(', ')}, not ${showValue(text)}` : set(value);
}

/** Reads `[from,to]`, or a value as both ends. Returns the problem of any other text. */
export function readRange<End extends string | number>(
  text: string,
  readEnd: (text: string) => End | null,
  expected: string,
): { readonly from?: End; readonly to?: End } | string {
  const inner = /^\[([^,]*),([^,]*)\]$/s.exec(text);
  const [from_text, to_text] = inner === null ? [text, text] : [inner[1]!.trim(), inner[2]!.trim()];
  if (inner !== null && from_text === '' && to_text === '') {
    return 'must have at least one end: [from,to], [from,] or [,to]';
  }
  const from = from_text === '' && inner !== null ? undefined : readEnd(from_text);
  const to = to_text === '' && inner !== null ? undefined : readEnd(to_text);
  if (from === null || to === null) {
    return `must be ${expected}, or a range [from,to] of these, not ${showValue(text)}`;
  }
  if (from !== undefined && to !== undefined && from > to) return 'begins after it ends';
  return { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
}
