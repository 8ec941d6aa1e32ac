/** "Just after midnight": the time of day at which a hold resets (service specification 2.2). */
const reset_time = '00:00:01';

/**
 * The instant (epoch milliseconds) from which an aging hold holds nothing: the local date of the authorization plus
 * `hold_days` (1 or more), at 00:00:01 in the zone (service specification 2.2). In a gap of the local clock it is the
 * first instant that exists; when the time comes twice, the earlier one (decision), unless the authorization itself
 * lies between the two: a hold always ends after it began. `time_zone` must be one that `isTimeZone` knows.
 */
export function agingHoldEnd(authorized_at_ms: number, hold_days: number, time_zone: string): number {
  const wanted = Temporal.Instant.fromEpochMilliseconds(authorized_at_ms)
    .toZonedDateTimeISO(time_zone)
    .toPlainDate()
    .add({ days: hold_days })
    .toPlainDateTime(reset_time);
  const earlier = wanted.toZonedDateTime(time_zone, { disambiguation: 'earlier' });
  if (!earlier.toPlainDateTime().equals(wanted)) {
    // The local clock skips it. "Earlier" then lies before the skip, whose end is the zone's next transition.
    const resumes = earlier.getTimeZoneTransition('next');
    return (resumes ?? wanted.toZonedDateTime(time_zone, { disambiguation: 'later' })).epochMilliseconds;
  }
  if (earlier.epochMilliseconds > authorized_at_ms) return earlier.epochMilliseconds;
  return wanted.toZonedDateTime(time_zone, { disambiguation: 'later' }).epochMilliseconds;
}

/** Whether this is the name of a time zone of the IANA database, spelled as it spells it; an offset (`+02:00`) is not. */
export function isTimeZone(zone: string): boolean {
  if (!/^[A-Za-z]/.test(zone)) return false;
  try {
    return new Temporal.ZonedDateTime(0n, zone).timeZoneId === zone;
  } catch {
    return false;
  }
}
