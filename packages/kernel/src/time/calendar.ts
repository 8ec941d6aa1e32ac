import { Temporal } from './temporal.ts';

const month_days = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Whether the text is a calendar date, YYYY-MM-DD. The calendar has no year 0. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const [year, month, day] = [Number(text.slice(0, 4)), Number(text.slice(5, 7)), Number(text.slice(8))];
  const is_leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = month === 2 && is_leap ? 29 : (month_days[month - 1] ?? 0);
  return year >= 1 && day >= 1 && day <= days;
}

/** The calendar date in UTC at an instant (epoch milliseconds), YYYY-MM-DD. */
export function dayAt(at_ms: number): string {
  return Temporal.Instant.fromEpochMilliseconds(at_ms).toZonedDateTimeISO('UTC').toPlainDate().toString();
}

/** The calendar date after another, YYYY-MM-DD. */
export function dayAfter(day: string): string {
  return Temporal.PlainDate.from(day).add({ days: 1 }).toString();
}

const day_ms = 24 * 60 * 60 * 1_000;

/** The instant so many days of 24 hours before another, epoch milliseconds. */
export function daysBefore(now_ms: number, days: number): number {
  return now_ms - days * day_ms;
}

/**
 * An instant (epoch milliseconds) as written in resources and deliveries: ISO 8601, UTC, with
 * milliseconds.
 */
export function toInstantText(at_ms: number): string {
  return Temporal.Instant.fromEpochMilliseconds(at_ms).toString({ fractionalSecondDigits: 3 });
}

/**
 * An interval of time in epoch milliseconds. Both ends are included. An end that is absent does not
 * bound it.
 */
export interface Interval {
  readonly from_ms?: number;
  readonly to_ms?: number;
}
