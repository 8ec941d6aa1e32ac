const minute_ms = 60_000;

/**
 * When the attempts of a delivery are due, in milliseconds after the first attempt (service
 * specification 6.4).
 */
export const attempt_offsets_ms: readonly number[] = [0, 10, 28, 78, 108].map((minutes) => minutes * minute_ms);

/**
 * Returns when the next attempt is due, in epoch milliseconds, or null after the fifth. It depends
 * only on the time of the first attempt: a late attempt does not delay the attempts after it.
 */
export function nextAttemptDue(first_attempt_at_ms: number, attempts_made: number): number | null {
  const offset_ms = attempt_offsets_ms[attempts_made];
  return offset_ms === undefined ? null : first_attempt_at_ms + offset_ms;
}
