import { type ClearingClass, clearing_classes } from '@tallystick/cards';
import {
  currency_expected,
  type FieldError,
  invalidQuery,
  isCurrency,
  isDay,
  nearestName,
  showValue,
} from '@tallystick/kernel';
import { dateOf, daysAfter } from '../calendar.ts';
import { type BreakKind, break_kinds, type ItemStatus, item_statuses } from '../item.ts';

/** Dates, YYYY-MM-DD, both ends included. An end that is absent does not bound them. */
export interface DateRange {
  readonly from?: string;
  readonly to?: string;
}

/** Due dates. Items without one do not fit. */
export interface DueRange extends DateRange {
  /** Whether breaks that are due after the range fit as well: their age is 0. */
  readonly with_later_breaks?: true;
}

/** Which items are wanted. Each field that is present must fit. */
export interface ItemFilter {
  readonly status?: ItemStatus;
  readonly class?: ClearingClass;
  readonly kind?: BreakKind;
  readonly vcn_id?: number;
  readonly currency?: string;
  readonly settlement_date?: DateRange;
  readonly due_date?: DueRange;
}

const age_days_max = 99_999;

/** The filters of a list of items, by their name in the query (decision: reconciliation). */
export const item_filter_names = [
  'status',
  'class',
  'kind',
  'vcn_id',
  'currency',
  'settlement_date',
  'age_days',
] as const;

type FilterName = (typeof item_filter_names)[number];

/**
 * Reads the filters of a list of items: pairs of a name and its text. Dates and ages are a value or
 * `[from,to]`, either end of which may be empty. The age of an item is counted from its due date to
 * the day of `now_ms` in UTC. Refuses (`invalid_query`) all unknown names and malformed values
 * together.
 */
export function parseItemFilter(filters: Iterable<readonly [name: string, text: string]>, now_ms: number): ItemFilter {
  let filter: ItemFilter = {};
  const errors: FieldError[] = [];
  for (const [name, text] of filters) {
    const read = isFilterName(name) ? readers[name](text, now_ms) : describeUnknown(name);
    if (typeof read === 'string') errors.push({ path: name, message: read });
    else filter = { ...filter, ...read };
  }
  if (errors.length > 0) throw invalidQuery(...errors);
  return filter;
}

/** Each returns the filter, or the problem of the text. */
const readers: Readonly<Record<FilterName, (text: string, now_ms: number) => ItemFilter | string>> = {
  status: (text) => oneOf(item_statuses, text, (status) => ({ status })),
  class: (text) => oneOf(clearing_classes, text, (found) => ({ class: found })),
  kind: (text) => oneOf(break_kinds, text, (kind) => ({ kind })),
  vcn_id: (text) =>
    /^[1-9]\d{0,14}$/.test(text)
      ? { vcn_id: Number(text) }
      : `must be the id of a card, an integer, not ${showValue(text)}`,
  currency: (text) => (isCurrency(text) ? { currency: text } : `must be ${currency_expected}, not ${showValue(text)}`),
  settlement_date: (text) => {
    const range = parseDates(text);
    return typeof range === 'string' ? range : { settlement_date: range };
  },
  age_days: (text, now_ms) => {
    const range = readRange(text, readDays, `a number of days from 0 to ${age_days_max}`);
    if (typeof range === 'string') return range;
    const today = dateOf(now_ms);
    // The oldest are due first.
    return {
      due_date: {
        ...(range.to === undefined ? {} : { from: daysAfter(today, -range.to) }),
        to: daysAfter(today, -(range.from ?? 0)),
        ...((range.from ?? 0) === 0 ? { with_later_breaks: true } : {}),
      },
    };
  },
};

/**
 * Reads the dates of a filter with this name: a date, or `[from,to]`. All dates when it is absent.
 * Refuses (`invalid_query`) any other text.
 */
export function readDateRange(name: string, filters: ReadonlyMap<string, string>): DateRange {
  const text = filters.get(name);
  const range = text === undefined ? {} : parseDates(text);
  if (typeof range === 'string') throw invalidQuery({ path: name, message: range });
  return range;
}

function parseDates(text: string): DateRange | string {
  return readRange(text, (end) => (isDay(end) ? end : null), 'a date, YYYY-MM-DD');
}

function readDays(text: string): number | null {
  return /^\d{1,5}$/.test(text) ? Number(text) : null;
}

function oneOf<Value extends string>(
  values: readonly Value[],
  text: string,
  filter: (value: Value) => ItemFilter,
): ItemFilter | string {
  const value = values.find((known) => known === text);
  return value === undefined ? `must be one of ${values.join(', ')}, not ${showValue(text)}` : filter(value);
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

function isFilterName(name: string): name is FilterName {
  return (item_filter_names as readonly string[]).includes(name);
}

function describeUnknown(name: string): string {
  const nearest = nearestName(name, item_filter_names);
  const hint = nearest === null ? `these are: ${item_filter_names.join(', ')}` : `did you mean ${nearest}?`;
  return `is not a filter of items; ${hint}`;
}
