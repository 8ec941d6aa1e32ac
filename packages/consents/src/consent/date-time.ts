import { Temporal } from '@tallystick/kernel';

export interface SentDateTime {
  /** As it was sent, with `Z` added when it had no zone. */
  readonly text: string;
  /** Epoch milliseconds, rounded down. */
  readonly at_ms: number;
}

/** The wording of what `parseDateTime` allows. */
export const date_time_expected = 'a date and time that exists, such as 2026-05-20T10:43:07+00:00';

const date_time = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?<fraction>\.\d{1,30})?(?<zone>[Zz]|[+-]\d\d:\d\d)?$/;

/**
 * Reads a date-time (RFC 3339). One without a zone is UTC (decision: consents). Null for other
 * text, and for a date or a time that does not exist.
 */
export function parseDateTime(text: string): SentDateTime | null {
  const groups = date_time.exec(text)?.groups;
  // A leap second has no instant of its own.
  if (groups === undefined || text.slice(17, 19) === '60') return null;
  const zone = groups.zone ?? 'Z';
  const fraction = (groups.fraction ?? '').slice(0, 10);
  try {
    const instant = Temporal.Instant.from(`${text.slice(0, 19)}${fraction}${zone}`);
    return { text: groups.zone === undefined ? `${text}Z` : text, at_ms: instant.epochMilliseconds };
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** The instant of a date-time that is stored, epoch milliseconds. */
export function instantOf(text: string): number {
  return Temporal.Instant.from(shortened(text)).epochMilliseconds;
}

/** The text without digits of the second that the calendar cannot hold. */
function shortened(text: string): string {
  return text.replace(/(\.\d{9})\d+/, '$1');
}
