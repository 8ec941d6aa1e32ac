/**
 * The calendar of the specification, expressed only with Temporal: no table, no arithmetic on
 * milliseconds, no code shared with the service.
 */
import { Temporal } from 'temporal-polyfill';

/** The velocity windows; service specification 2.2. */
export type Recurring = 'Continuous' | 'Daily' | 'Weekly' | 'Quarterly' | 'Monthly' | 'Yearly';

export const recurring_values: readonly Recurring[] = [
  'Continuous',
  'Daily',
  'Weekly',
  'Quarterly',
  'Monthly',
  'Yearly',
];

/** Half-open, epoch milliseconds. */
export interface Span {
  readonly start_ms: number;
  readonly end_ms: number;
}

function utc(at_ms: number): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(at_ms).toZonedDateTimeISO('UTC');
}

/** The GMT date of an instant: YYYY-MM-DD. */
export function gmtDate(at_ms: number): string {
  return utc(at_ms).toPlainDate().toString();
}

/** The date some days after another one: YYYY-MM-DD. */
export function daysAfter(date: string, days: number): string {
  return Temporal.PlainDate.from(date).add({ days }).toString();
}

/**
 * The window that contains an instant: UTC, weeks from Monday, the others from the first day of the
 * calendar period.
 */
export function windowOf(recurring: Recurring, at_ms: number): Span {
  const today = utc(at_ms).toPlainDate();
  const january = today.with({ month: 1, day: 1 });
  const span = (first: Temporal.PlainDate, length: Temporal.DurationLike): Span => ({
    start_ms: first.toZonedDateTime('UTC').epochMilliseconds,
    end_ms: first.add(length).toZonedDateTime('UTC').epochMilliseconds,
  });
  switch (recurring) {
    case 'Continuous':
      return { start_ms: 0, end_ms: Number.POSITIVE_INFINITY };
    case 'Daily':
      return span(today, { days: 1 });
    case 'Weekly':
      return span(today.subtract({ days: today.dayOfWeek - 1 }), { weeks: 1 });
    case 'Monthly':
      return span(today.with({ day: 1 }), { months: 1 });
    case 'Quarterly':
      return span(january.add({ months: 3 * Math.floor((today.month - 1) / 3) }), { months: 3 });
    case 'Yearly':
      return span(january, { years: 1 });
  }
}

/**
 * The instant from which an aging hold holds nothing: 00:00:01 on the local date of the
 * authorization plus the days. If the local clock skips this time, the first instant after the
 * skip; if the time occurs twice, the earlier one.
 */
export function holdEnd(authorized_at_ms: number, hold_days: number, zone: string): number {
  const local_date = Temporal.Instant.fromEpochMilliseconds(authorized_at_ms).toZonedDateTimeISO(zone).toPlainDate();
  const wanted = local_date.add({ days: hold_days }).toPlainDateTime('00:00:01');
  const earlier = wanted.toZonedDateTime(zone, { disambiguation: 'earlier' });
  const exists = earlier.toPlainDateTime().equals(wanted);
  return exists ? earlier.epochMilliseconds : earlier.getTimeZoneTransition('next')!.epochMilliseconds;
}

/** YYYY-MM, two years after the month of creation. */
export function expiryOf(created_at_ms: number): string {
  return utc(created_at_ms).toPlainDate().toPlainYearMonth().add({ years: 2 }).toString();
}

/** The last day of an expiry month: YYYY-MM-DD. */
export function lastDayOf(expiry: string): string {
  const month = Temporal.PlainYearMonth.from(expiry);
  return month.toPlainDate({ day: month.daysInMonth }).toString();
}

/** The last second of use: 23:59:59 UTC on the last day of the month. */
export function expiryInstant(expiry: string): number {
  return Temporal.PlainDate.from(lastDayOf(expiry)).toZonedDateTime({ timeZone: 'UTC', plainTime: '23:59:59' })
    .epochMilliseconds;
}
