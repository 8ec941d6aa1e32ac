/**
 * An interval of time, both ends included, in epoch milliseconds: one instant, or a whole GMT day.
 */
export interface Moment {
  readonly from_ms: number;
  readonly to_ms: number;
}

const day_ms = 24 * 60 * 60 * 1000;

/** The form of an instant or a date. */
export const moment_form = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:?\d\d)?)?$/;

/**
 * Reads an ISO 8601 instant or date. A date is its whole GMT day; a time without a zone is GMT;
 * digits finer than a millisecond are cut off. Returns null for anything else, including a day that
 * is not in the calendar.
 */
export function parseMoment(text: string): Moment | null {
  const parts = moment_form.exec(text);
  if (parts === null) return null;
  const [, date, time, zone] = parts;
  const from_ms = toInstantMs(`${date}T${time ?? '00:00'}${zone ?? 'Z'}`);
  if (from_ms === null) return null;
  return { from_ms, to_ms: time === undefined ? from_ms + day_ms - 1 : from_ms };
}

function toInstantMs(text: string): number | null {
  try {
    return Temporal.Instant.from(text).epochMilliseconds;
  } catch {
    return null;
  }
}
