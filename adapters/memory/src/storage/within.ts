import type { Interval } from '@tallystick/kernel';

/** Whether the time lies in the interval, or no interval is wanted. */
export function isWithin(at_ms: number, { from_ms, to_ms }: Interval = {}): boolean {
  return at_ms >= (from_ms ?? at_ms) && at_ms <= (to_ms ?? at_ms);
}
