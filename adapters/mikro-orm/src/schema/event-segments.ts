import type { Dialect } from './dialect.ts';

/**
 * The event log is cut into segments of consecutive ids, and every filter index begins with the segment: a write touches
 * only the pages of the newest one, however long the log, and a search looks into one segment after another, newest first.
 *
 * A segment's size is a bargain, measured on each database. SQLite writes whole pages with each commit, so that a small
 * segment is cheap to write; Postgres writes records of what changed, so that a large one, with fewer looks, costs nothing more.
 */
export const event_segment_bits: Readonly<Record<Dialect, number>> = { sqlite: 11, postgres: 13 };

/** The segment of the event whose id is in the column `id`, as a stored column has it. */
export function segmentExpression(dialect: Dialect): string {
  return `id >> ${event_segment_bits[dialect]}`;
}

/** The segment of an id. */
export function segmentOf(dialect: Dialect, id: number): number {
  return Math.floor(id / 2 ** event_segment_bits[dialect]);
}
