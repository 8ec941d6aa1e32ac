/** The source of "now". Domain code never reads machine time directly. */
export interface Clock {
  /** The current instant. It does not go backwards by more than the skew between two machines. */
  now(): Temporal.Instant;
}

/** A frozen clock, for tests and for replaying a pass at one instant. */
export function fixedClock(instant: Temporal.Instant | string): Clock {
  const at = Temporal.Instant.from(instant.toString());
  return { now: () => at };
}
