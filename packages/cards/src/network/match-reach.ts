import { day_ms, utcDateAt } from '@tallystick/velocity';
import type { Authorization } from './authorization.ts';
import type { ClearingFacts } from './match-case.ts';

/**
 * How many days may lie between a settlement date and the date of an authorization, or between two
 * settlement dates, for rules 5 to 7. Times of arrival do not count.
 */
export const match_reach_days = 35;

/** Whether the settlement date of a clearing is near the date of an authorization. */
export function isNearRoot({ settlement_date }: Pick<ClearingFacts, 'settlement_date'>, root: Authorization): boolean {
  return isNear(settlement_date, dateOf(root));
}

/** Whether the settlement dates of two clearings are near each other. */
export function isNearClearing(
  { settlement_date }: Pick<ClearingFacts, 'settlement_date'>,
  other: Pick<ClearingFacts, 'settlement_date'>,
): boolean {
  return isNear(settlement_date, other.settlement_date);
}

/** The days from 1970-01-01 to a date. */
export function daysOf(date: string): number {
  return Date.parse(date) / day_ms;
}

/** Whether two dates, YYYY-MM-DD, are at most `match_reach_days` apart. */
function isNear(date: string, other: string): boolean {
  return Math.abs(daysOf(date) - daysOf(other)) <= match_reach_days;
}

/** The UTC date of the transaction, YYYY-MM-DD. */
function dateOf({ transaction_date_time_ms }: Pick<Authorization, 'transaction_date_time_ms'>): string {
  return utcDateAt(transaction_date_time_ms);
}
