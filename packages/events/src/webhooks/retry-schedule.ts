const minute_ms = 60_000;

/** When the attempts of a delivery are due, counted from the first one (service specification 6.4), in milliseconds. */
export const attempt_offsets_ms: readonly number[] = [0, 10, 28, 78, 108].map((minutes) => minutes * minute_ms);

/**
 * When the next attempt is due, epoch milliseconds, or null after the fifth. It depends on when the first attempt was
 * made and on nothing else: a late attempt does not move the ones after it.
 */
export function nextAttemptDue(first_attempt_at_ms: number, attempts_made: number): number | null {
  const offset_ms = attempt_offsets_ms[attempts_made];
  return offset_ms === undefined ? null : first_attempt_at_ms + offset_ms;
}
