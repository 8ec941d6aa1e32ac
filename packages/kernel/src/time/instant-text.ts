/**
 * An instant (epoch milliseconds) as written in resources and deliveries: ISO 8601, UTC, with
 * milliseconds.
 */
export function toInstantText(at_ms: number): string {
  return Temporal.Instant.fromEpochMilliseconds(at_ms).toString({ fractionalSecondDigits: 3 });
}
