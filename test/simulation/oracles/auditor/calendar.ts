import { Temporal } from '@tallystick/kernel';

/** The UTC date, YYYY-MM-DD, by the calendar of the platform. */
export function utcDateOf(at_ms: number): string {
  return new Date(at_ms).toISOString().slice(0, 10);
}

/** The start of the window that contains the instant; the year, the month and the weekday decide. */
export function windowStartOf(recurring: string | null, at_ms: number): number {
  const at = new Date(at_ms);
  const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()];
  switch (recurring) {
    case 'Daily':
      return Date.UTC(year, month, day);
    case 'Weekly':
      // Sunday is 0, and weeks begin on Monday.
      return Date.UTC(year, month, day - ((at.getUTCDay() + 6) % 7));
    case 'Monthly':
      return Date.UTC(year, month, 1);
    case 'Quarterly':
      return Date.UTC(year, month - (month % 3), 1);
    case 'Yearly':
      return Date.UTC(year, 0, 1);
    default:
      return 0;
  }
}

const ends = new Map<string, number>();

/**
 * When a hold ends: one second into the local date, or when the local clock resumes, if that is
 * later. Days after the local date of the authorization.
 */
export function holdEndOf(authorized_at_ms: number, days: number, zone: string): number {
  const date = Temporal.Instant.fromEpochMilliseconds(authorized_at_ms)
    .toZonedDateTimeISO(zone)
    .toPlainDate()
    .add({ days });
  const key = `${date.toString()} ${zone}`;
  const known = ends.get(key);
  if (known !== undefined) return known;
  const begin = date.toZonedDateTime(zone);
  const is_midnight = begin.hour === 0 && begin.minute === 0 && begin.second === 0;
  const end_ms = begin.epochMilliseconds + (is_midnight ? 1_000 : 0);
  ends.set(key, end_ms);
  return end_ms;
}
