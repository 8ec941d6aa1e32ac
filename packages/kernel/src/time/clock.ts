/** The source of "now". Domain code never reads machine time directly. */
export interface Clock {
  /**
   * The current instant, epoch milliseconds, an integer. It does not go backwards by more than the
   * skew between two machines.
   */
  nowMs(): number;
}

/** A frozen clock at an ISO instant or epoch milliseconds, for tests and for replaying a pass. */
export function fixedClock(instant: string | number): Clock {
  const at_ms = typeof instant === 'number' ? instant : Temporal.Instant.from(instant).epochMilliseconds;
  return { nowMs: () => at_ms };
}
