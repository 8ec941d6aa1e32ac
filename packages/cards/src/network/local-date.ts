/** The date of an instant in a time zone, YYYY-MM-DD. */
export function localDateAt(at_ms: number, time_zone: string): string {
  return Temporal.Instant.fromEpochMilliseconds(at_ms).toZonedDateTimeISO(time_zone).toPlainDate().toString();
}
