/**
 * An interval of time in epoch milliseconds. Both ends are included. An end that is absent does not
 * bound it.
 */
export interface Interval {
  readonly from_ms?: number;
  readonly to_ms?: number;
}
