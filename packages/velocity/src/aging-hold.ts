import { Temporal } from '@tallystick/kernel';
import { day_ms } from './calendar.ts';

/** The time of day at which a hold resets, "just after midnight" (service specification 2.2). */
const reset_time = '00:00:01';
const reset_time_ms = 1_000;

/**
 * The instant (epoch milliseconds) from which an aging hold holds nothing: the local date of the
 * authorization plus `hold_days` (1 or more), at 00:00:01 in the zone (service specification 2.2).
 * If the local clock skips this time, the result is the first instant after the skip. If the time
 * occurs twice, the result is the earlier one (decision). It is the later one only if the
 * authorization lies between the two, because a hold always ends after it began. `time_zone` must
 * be valid according to `isTimeZone`.
 */
export function agingHoldEnd(authorized_at_ms: number, hold_days: number, time_zone: string): number {
  // The local clock of UTC skips and repeats nothing. Most holds end by it, and none needs a
  // calendar.
  if (time_zone === 'UTC') return (Math.floor(authorized_at_ms / day_ms) + hold_days) * day_ms + reset_time_ms;
  const wanted = Temporal.Instant.fromEpochMilliseconds(authorized_at_ms)
    .toZonedDateTimeISO(time_zone)
    .toPlainDate()
    .add({ days: hold_days })
    .toPlainDateTime(reset_time);
  const earlier = wanted.toZonedDateTime(time_zone, { disambiguation: 'earlier' });
  if (!earlier.toPlainDateTime().equals(wanted)) {
    // The local clock skips this time. "Earlier" is then before the skip, and the skip ends at the
    // zone's next transition.
    const resumes = earlier.getTimeZoneTransition('next');
    return (resumes ?? wanted.toZonedDateTime(time_zone, { disambiguation: 'later' })).epochMilliseconds;
  }
  if (earlier.epochMilliseconds > authorized_at_ms) return earlier.epochMilliseconds;
  return wanted.toZonedDateTime(time_zone, { disambiguation: 'later' }).epochMilliseconds;
}

/**
 * Whether this is the name of a time zone of the IANA database, in the database's spelling. An
 * offset (`+02:00`) is not.
 */
export function isTimeZone(zone: string): boolean {
  if (!/^[A-Za-z]/.test(zone)) return false;
  try {
    return new Temporal.ZonedDateTime(0n, zone).timeZoneId === zone;
  } catch {
    return false;
  }
}
