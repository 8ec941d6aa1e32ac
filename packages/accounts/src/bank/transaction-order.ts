import { comparePlaces, type PageStart, type RowPlace, type TwoWayList } from '@tallystick/kernel';
import type { BookingDates } from '../ports.ts';

/**
 * The order of the booked transactions of an account: falling booking date, of one date the
 * statement lines before the shown transactions, of one source falling id. They are kept in two
 * tables, and a page merges what it reads of both from one place on.
 */

/** Where a booked transaction is kept. */
export type TransactionSource = 'line' | 'shown';

/** The list of booked transactions. A place is booking date, rank of the source, and id. */
export const transaction_list: TwoWayList = { list: 'transactions', parts: ['date', 'id', 'id'] };

const ranks: Readonly<Record<TransactionSource, number>> = { line: 0, shown: 1 };

const letters: Readonly<Record<TransactionSource, string>> = { line: 'L', shown: 'S' };

/** `BookedTransaction.transaction_id` of a row: `L17` is statement line 17. */
export function transactionId(source: TransactionSource, id: number): string {
  return `${letters[source]}${id}`;
}

export interface TransactionRow {
  readonly source: TransactionSource;
  readonly booking_date: string;
  readonly id: number;
}

export function transactionPlace({ booking_date, source, id }: TransactionRow): RowPlace {
  return [booking_date, ranks[source], id];
}

export function compareTransactions(a: TransactionRow, b: TransactionRow): number {
  if (a.booking_date !== b.booking_date) return a.booking_date < b.booking_date ? 1 : -1;
  return ranks[a.source] - ranks[b.source] || b.id - a.id;
}

/** Dates with ids, as bounds of the rows of one source. */
type Bound = readonly [booking_date: string, id: number];

/** The rows of one source that belong to a page: above the one bound and below the other. */
export interface TransactionBounds {
  readonly above: Bound;
  readonly below: Bound;
}

/**
 * The bounds within which a page reads one source. Each end is one bound, so that an index finds
 * it: a date and a cursor as two conditions would be read one after the other.
 */
export function transactionBounds(
  source: TransactionSource,
  { from = '', to = '9999-12-31' }: BookingDates,
  start: PageStart | null,
): TransactionBounds {
  const dates: TransactionBounds = { above: [from, -1], below: [to, Number.MAX_SAFE_INTEGER] };
  if (start === null) return dates;
  const cut = cutOf(source, start);
  return start.direction === 'next'
    ? { ...dates, below: comparePlaces(cut, dates.below) < 0 ? cut : dates.below }
    : { ...dates, above: comparePlaces(cut, dates.above) > 0 ? cut : dates.above };
}

/** Where a place divides the rows of a source, of which none is at the bound itself but its own. */
function cutOf(source: TransactionSource, { place }: PageStart): Bound {
  const [date, rank, id] = place as readonly [string, number, number];
  if (ranks[source] === rank) return [date, id];
  // Of this date, lines come before all shown transactions.
  return [date, ranks[source] < rank ? 0 : Number.MAX_SAFE_INTEGER];
}
