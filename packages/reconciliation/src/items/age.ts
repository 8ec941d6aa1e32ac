import { dateOf, day_ms, daysBetween, startOf } from '../calendar.ts';

/** The age buckets of breaks, in days from the due date, inclusive; null: without end. */
export const age_buckets = [
  { name: '0-1', from: 0, to: 1 },
  { name: '2-3', from: 2, to: 3 },
  { name: '4-7', from: 4, to: 7 },
  { name: '8-30', from: 8, to: 30 },
  { name: 'over 30', from: 31, to: null },
] as const;

export type AgeBucket = (typeof age_buckets)[number]['name'];

/** The days from a due date to the UTC date of an instant; 0 when it is due later. */
export function ageOf(due_date: string, now_ms: number): number {
  return Math.max(0, daysBetween(due_date, dateOf(now_ms)));
}

/** The age bucket of a break that was due on this date (decision: reconciliation). */
export function bucketOf(due_date: string, now_ms: number): AgeBucket {
  const age = ageOf(due_date, now_ms);
  return age_buckets.find(({ to }) => to === null || age <= to)!.name;
}

/** The instant at which a break enters its next age bucket; null in the last one. */
export function nextBucketAt(due_date: string, now_ms: number): number | null {
  const due_ms = startOf(due_date);
  for (const { from } of age_buckets) {
    const at_ms = due_ms + from * day_ms;
    if (from > 0 && at_ms > now_ms) return at_ms;
  }
  return null;
}
