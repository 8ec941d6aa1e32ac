/** The milliseconds of a day in UTC. */
export const day_ms = 24 * 60 * 60 * 1_000;

/** The UTC date of an instant, YYYY-MM-DD. */
export function dateOf(at_ms: number): string {
  return new Date(at_ms).toISOString().slice(0, 10);
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
