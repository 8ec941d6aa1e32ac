import { type ClearingClass, clearing_classes } from '@tallystick/cards';
import { currency_expected, isCurrency, showValue } from '@tallystick/kernel';
import { dateOf, daysAfter } from '../calendar.ts';
import {
  type AmountRange,
  type DateRange,
  type FilterReaders,
  oneOf,
  parseAmounts,
  parseDates,
  parseFilters,
  parseText,
  readRange,
} from '../filters.ts';
import { type BreakKind, break_kinds, type ItemStatus, item_statuses, no_assignee } from '../item.ts';

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
  /** Minor units. An item fits when it was authorized, cleared or stated with one of them. */
  readonly amount?: AmountRange;
  /**
   * The acquirer reference of a clearing or a line, in any form that has its statement key; or the
   * bank's own reference of a line.
   */
  readonly reference?: string;
  readonly merchant_name?: string;
  /** The number of the account of the line at which the item counts in the bridge. */
  readonly account_id?: string;
  /** When that line was booked. */
  readonly booking_date?: DateRange;
  readonly due_date?: DueRange;
  /** Null: nobody. */
  readonly assignee?: string | null;
}

const age_days_max = 99_999;

const readers = {
  status: (text) => oneOf(item_statuses, text, (status) => ({ status })),
  class: (text) => oneOf(clearing_classes, text, (found) => ({ class: found })),
  kind: (text) => oneOf(break_kinds, text, (kind) => ({ kind })),
  vcn_id: (text) =>
    /^[1-9]\d{0,14}$/.test(text)
      ? { vcn_id: Number(text) }
      : `must be the id of a card, an integer, not ${showValue(text)}`,
  currency: (text) => (isCurrency(text) ? { currency: text } : `must be ${currency_expected}, not ${showValue(text)}`),
  settlement_date: (text) => parseDates(text, (settlement_date) => ({ settlement_date })),
  amount: (text) => parseAmounts(text, (amount) => ({ amount })),
  reference: (text) => parseText(text, (reference) => ({ reference })),
  merchant_name: (text) => parseText(text, (merchant_name) => ({ merchant_name })),
  account_id: (text) => parseText(text, (account_id) => ({ account_id })),
  booking_date: (text) => parseDates(text, (booking_date) => ({ booking_date })),
  assignee: (text) => parseText(text, (name) => ({ assignee: name === no_assignee ? null : name })),
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
} satisfies FilterReaders<ItemFilter>;

/** The filters of a list of items, by their name in the query (decision: reconciliation). */
export const item_filter_names = Object.keys(readers) as (keyof typeof readers)[];

/**
 * Reads the filters of a list of items, as `parseFilters` does. Dates and ages are a value or
 * `[from,to]`, either end of which may be empty. The age of an item is counted from its due date to
 * the day of `now_ms` in UTC.
 */
export function parseItemFilter(filters: Iterable<readonly [name: string, text: string]>, now_ms: number): ItemFilter {
  return parseFilters<ItemFilter>({ readers, of: 'items' }, filters, now_ms);
}

function readDays(text: string): number | null {
  return /^\d{1,5}$/.test(text) ? Number(text) : null;
}
