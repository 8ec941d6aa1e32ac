import { dateFromDays, day_ms, daysAt, utcMonthStart } from './calendar.ts';

/** A half-open interval `[start_ms, end_ms)`, epoch milliseconds. Continuous is `[0, Infinity)`. */
export interface Window {
  readonly start_ms: number;
  readonly end_ms: number;
}

const continuous: Window = { start_ms: 0, end_ms: Number.POSITIVE_INFINITY };

/**
 * The window that contains the instant (epoch milliseconds). Velocity windows begin at midnight UTC
 * (service specification 2.2). Weeks begin on Monday, the others on the first day of the calendar
 * period (decision). Null: a card of aging velocity, whose one window is `Continuous`. Pure integer
 * arithmetic.
 */
export function windowAt(recurring: Recurring | null, at_ms: number): Window {
  switch (recurring) {
    case null:
    case 'Continuous':
      return continuous;
    case 'Daily':
      return daysFrom(daysAt(at_ms), 1);
    case 'Weekly':
      // 1970-01-01 was a Thursday: three days after a Monday.
      return daysFrom(Math.floor((daysAt(at_ms) + 3) / 7) * 7 - 3, 7);
    case 'Monthly':
      return months(at_ms, 1);
    case 'Quarterly':
      return months(at_ms, 3);
    case 'Yearly':
      return months(at_ms, 12);
  }
}

function daysFrom(first_day: number, count: number): Window {
  return { start_ms: first_day * day_ms, end_ms: (first_day + count) * day_ms };
}

function months(at_ms: number, count: number): Window {
  const { year, month } = dateFromDays(daysAt(at_ms));
  const first_month = Math.floor((month - 1) / count) * count + 1;
  return { start_ms: utcMonthStart(year, first_month), end_ms: utcMonthStart(year, first_month + count) };
}

/** The velocity windows of service specification 2.2, case-sensitive. */
export const recurring_values = ['Continuous', 'Daily', 'Weekly', 'Quarterly', 'Monthly', 'Yearly'] as const;

export type Recurring = (typeof recurring_values)[number];
