/** Where "now" comes from. Domain code never reads the machine's clock. */
export interface Clock {
  /** The present instant. Does not go backwards by more than the skew between two machines. */
  now(): Temporal.Instant;
}

/** A clock that stands where it was set; for tests and for replaying a pass at one instant. */
export function fixedClock(instant: Temporal.Instant | string): Clock {
  const at = Temporal.Instant.from(instant.toString());
  return { now: () => at };
}
