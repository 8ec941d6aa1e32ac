/**
 * The UTC calendar in integer arithmetic. Decisions compute their window and date a hundred
 * thousand times a second, and `Temporal` would allocate several objects each time. Days count from
 * 1970-01-01. The Gregorian calendar repeats every 400 years, which are 146,097 days.
 */

export const day_ms = 86_400_000;

/** A date of the UTC calendar; `month` is 1..12, `day` 1..31. */
interface CalendarDate {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

/**
 * The days from 1970-01-01 to a date, negative before it. Months past 12 count into the following
 * years.
 */
function daysFromDate(year: number, month: number, day: number): number {
  // Years begin in March here, so that the leap day is the last day and needs no special case.
  const months = year * 12 + (month - 3);
  const y = Math.floor(months / 12);
  const month_from_march = months - y * 12;
  const era = Math.floor(y / 400);
  const year_of_era = y - era * 400;
  const day_of_year = Math.floor((153 * month_from_march + 2) / 5) + day - 1;
  const day_of_era = year_of_era * 365 + Math.floor(year_of_era / 4) - Math.floor(year_of_era / 100) + day_of_year;
  return era * 146_097 + day_of_era - 719_468;
}

/** The date that is `days` after 1970-01-01. */
export function dateFromDays(days: number): CalendarDate {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const day_of_era = shifted - era * 146_097;
  const year_of_era = Math.floor(
    (day_of_era - Math.floor(day_of_era / 1_460) + Math.floor(day_of_era / 36_524) - Math.floor(day_of_era / 146_096)) /
      365,
  );
  const day_of_year = day_of_era - (365 * year_of_era + Math.floor(year_of_era / 4) - Math.floor(year_of_era / 100));
  const month_from_march = Math.floor((5 * day_of_year + 2) / 153);
  const day = day_of_year - Math.floor((153 * month_from_march + 2) / 5) + 1;
  const month = month_from_march < 10 ? month_from_march + 3 : month_from_march - 9;
  return { year: era * 400 + year_of_era + (month <= 2 ? 1 : 0), month, day };
}

/** The days from 1970-01-01 to the UTC date of an instant. */
export function daysAt(at_ms: number): number {
  return Math.floor(at_ms / day_ms);
}

/** The UTC (GMT) date of an instant (epoch milliseconds, years 0 to 9999) as YYYY-MM-DD. */
export function utcDateAt(at_ms: number): string {
  const { year, month, day } = dateFromDays(daysAt(at_ms));
  return `${String(year).padStart(4, '0')}-${twoDigits(month)}-${twoDigits(day)}`;
}

/**
 * An instant (epoch milliseconds, years 0 to 9999) in ISO 8601, as `Temporal.Instant` writes it:
 * `2026-11-21T12:00:00Z`.
 */
export function utcInstantAt(at_ms: number): string {
  const ms_of_day = at_ms - daysAt(at_ms) * day_ms;
  const seconds = Math.floor(ms_of_day / 1_000);
  const minutes = Math.floor(seconds / 60);
  const thousandths = ms_of_day - seconds * 1_000;
  const fraction = thousandths === 0 ? '' : `.${String(thousandths).padStart(3, '0').replace(/0+$/, '')}`;
  const time = `${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}:${twoDigits(seconds % 60)}`;
  return `${utcDateAt(at_ms)}T${time}${fraction}Z`;
}

function twoDigits(value: number): string {
  return value < 10 ? `0${value}` : String(value);
}

/**
 * The first instant (epoch milliseconds) of a month of the UTC calendar. Months past 12 count into
 * the following years.
 */
export function utcMonthStart(year: number, month: number): number {
  return daysFromDate(year, month, 1) * day_ms;
}
