import type { Dialect } from './dialect.ts';

/**
 * The size of a segment in the indexes `events_by_*` of earlier versions, as the power of two. Each
 * of them begins with the stored column `segment`.
 */
export const event_segment_bits: Readonly<Record<Dialect, number>> = { sqlite: 11, postgres: 13 };

/** The segment of an id. */
export function segmentOf(dialect: Dialect, id: number): number {
  return Math.floor(id / 2 ** event_segment_bits[dialect]);
}
