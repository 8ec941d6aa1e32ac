import type { EventRange } from './index-range.ts';

/** How much of the log is indexed. `last_id`: the highest id that was ever drawn. */
export interface EventIndexProgress {
  readonly segment_size: number;
  readonly volume_size: number;
  readonly indexed_below: number;
  readonly merged_below: number;
  readonly last_id: number;
}

export interface EventIndexWork {
  progress(): Promise<EventIndexProgress>;
  /**
   * Whether every transaction has ended that had drawn an id when `progress` was read. Waits up to
   * this time, milliseconds.
   */
  isSettled(ms_max: number): Promise<boolean>;
  /**
   * Writes the index of a segment, the next one. Resolves with false when another process is doing
   * so.
   */
  indexSegment(segment: EventRange): Promise<boolean>;
  /** Replaces the segments of a volume, the next one, by the volume. Resolves as `indexSegment`. */
  mergeVolume(volume: EventRange, segment_size: number): Promise<boolean>;
}
