import type { Dialect } from './dialect.ts';

/**
 * The event log is divided into segments of consecutive ids, and every filter index begins with the
 * segment. A write touches only the pages of the newest segment, however long the log is. A search
 * reads one segment after another, newest first.
 *
 * The size of a segment is a compromise, measured on each database. SQLite writes whole pages with
 * each commit, so small segments are cheap to write. Postgres writes records of changes, so large
 * segments, which need fewer lookups, cost nothing more.
 */
export const event_segment_bits: Readonly<Record<Dialect, number>> = { sqlite: 11, postgres: 13 };

/** The segment of the event in the column `id`, as the expression of a stored column. */
export function segmentExpression(dialect: Dialect): string {
  return `id >> ${event_segment_bits[dialect]}`;
}

/** The segment of an id. */
export function segmentOf(dialect: Dialect, id: number): number {
  return Math.floor(id / 2 ** event_segment_bits[dialect]);
}
