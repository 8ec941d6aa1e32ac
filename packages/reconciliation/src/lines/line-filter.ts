import { showValue } from '@tallystick/kernel';
import {
  type AmountRange,
  type DateRange,
  type FilterReaders,
  parseAmounts,
  parseDates,
  parseFilters,
  parseText,
} from '../filters.ts';

/** Which statement lines are wanted. Each field that is present must fit. */
export interface LineFilter {
  readonly account_id?: string;
  readonly booking_date?: DateRange;
  /** In the sign of the account: debits are negative. */
  readonly amount?: AmountRange;
  /**
   * The bank's own reference, or the acquirer reference: of a card line in any form that has its
   * statement key, of another line as the line has it.
   */
  readonly reference?: string;
  readonly bai_code?: string;
  /** A part of the bank's text; A to Z in any case. */
  readonly text?: string;
}

const readers = {
  account_id: (text) => parseText(text, (account_id) => ({ account_id })),
  booking_date: (text) => parseDates(text, (booking_date) => ({ booking_date })),
  amount: (text) => parseAmounts(text, (amount) => ({ amount })),
  reference: (text) => parseText(text, (reference) => ({ reference })),
  bai_code: (text) =>
    /^\d{3}$/.test(text) ? { bai_code: text } : `must be a BAI code of three digits, not ${showValue(text)}`,
  text: (part) => parseText(part, (text) => ({ text })),
} satisfies FilterReaders<LineFilter>;

/** The filters of a list of lines, by their name in the query (decision: reconciliation). */
export const line_filter_names = Object.keys(readers) as (keyof typeof readers)[];

/** Reads the filters of a list of lines, as `parseFilters` does. */
export function parseLineFilter(filters: Iterable<readonly [name: string, text: string]>, now_ms: number): LineFilter {
  return parseFilters<LineFilter>({ readers, of: 'lines' }, filters, now_ms);
}
