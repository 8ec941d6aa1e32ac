/** The milliseconds of a day in UTC. */
export const day_ms = 24 * 60 * 60 * 1_000;

/** The UTC date of an instant, YYYY-MM-DD. */
export function dateOf(at_ms: number): string {
  // By arithmetic, because an item needs several: years from March, in eras of 400 years.
  const days = Math.floor(at_ms / day_ms) + 719_468;
  const era = Math.floor(days / 146_097);
  const day_of_era = days - era * 146_097;
  const leap_days = Math.floor(day_of_era / 1_460) - Math.floor(day_of_era / 36_524) + Math.floor(day_of_era / 146_096);
  const year_of_era = Math.floor((day_of_era - leap_days) / 365);
  const day_of_year = day_of_era - (365 * year_of_era + Math.floor(year_of_era / 4) - Math.floor(year_of_era / 100));
  const month_from_march = Math.floor((5 * day_of_year + 2) / 153);
  const day = day_of_year - Math.floor((153 * month_from_march + 2) / 5) + 1;
  const month = month_from_march < 10 ? month_from_march + 3 : month_from_march - 9;
  const year = era * 400 + year_of_era + (month <= 2 ? 1 : 0);
  return `${String(year).padStart(4, '0')}-${twoDigits(month)}-${twoDigits(day)}`;
}

function twoDigits(value: number): string {
  return value < 10 ? `0${value}` : String(value);
}

/** The instant at which a date begins in UTC, epoch milliseconds. */
export function startOf(date: string): number {
  return Date.parse(date);
}

/** The days from 1970-01-01 to a date. */
export function dayOf(date: string): number {
  return startOf(date) / day_ms;
}

/** The date so many days after another; before it when `days` is negative. */
export function daysAfter(date: string, days: number): string {
  return dateOf(startOf(date) + days * day_ms);
}

/** The days from one date to another; negative when the other comes first. */
export function daysBetween(from: string, to: string): number {
  return dayOf(to) - dayOf(from);
}

/** The order of texts by their code units: negative when `a` comes first, 0 when they are equal. */
export function compareTexts(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
