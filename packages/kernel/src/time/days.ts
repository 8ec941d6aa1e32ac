const day_ms = 24 * 60 * 60 * 1_000;

/** The instant so many days of 24 hours before another, epoch milliseconds. */
export function daysBefore(now_ms: number, days: number): number {
  return now_ms - days * day_ms;
}
