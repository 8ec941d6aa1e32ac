import type { Connection } from '../connection/connection.ts';
import { faultOf } from '../connection/faults.ts';
import { eventIndexOnPostgres } from './event-index-on-postgres.ts';
import { eventIndexOnSqlite } from './event-index-on-sqlite.ts';
import type { EventIndexProgress } from './event-index-work.ts';
import type { EventIndex } from './indexing.ts';

/**
 * With this many segments that are full and not indexed, a writer of events waits until fewer are
 * left.
 */
const unindexed_segments_max = 2;

/**
 * How long to wait for transactions that may own an id of the segment to index, milliseconds of
 * machine time. They last a few milliseconds, except when one is stuck.
 */
const wait_ms_max = 20;

/** How long the writers of a process leave the index alone after an attempt that failed. */
const writer_pause_ms = 500;

/** The index for the writers of events in this adapter. */
export interface WrittenEventIndex extends EventIndex {
  /** The transaction in progress has assigned this id to an event. */
  noteWritten(id: number): void;
  /**
   * Called by a writer of events after its commit. Begins to index the segments that are full, and
   * waits only when `unindexed_segments_max` are left. Never rejects: the events are committed, and a
   * search finds them without the index.
   */
  keepUp(): Promise<void>;
}

/** The event index of a database. The tables must be migrated before the first call. */
export function eventIndexOn(connection: Connection): WrittenEventIndex {
  const work = connection.dialect === 'sqlite' ? eventIndexOnSqlite(connection) : eventIndexOnPostgres(connection);
  const { monotonicNow } = connection.timers;
  let known: EventIndexProgress | null = null;
  let written_id = 0;
  let working: Promise<void> | null = null;
  let is_catching_up = false;
  const waiting_writers: (() => void)[] = [];
  let paused_until_ms = 0;

  async function readProgress(): Promise<EventIndexProgress> {
    known = await work.progress();
    written_id = Math.max(written_id, known.last_id);
    return known;
  }

  /**
   * Does the next step. Resolves with false when there is none, or not now. Writers may wait for
   * segments, so a volume is merged when no segment is left, or when a second one is due.
   */
  async function step(): Promise<boolean> {
    const progress = await readProgress();
    const { segment_size, volume_size, indexed_below, merged_below, last_id } = progress;
    const unmerged = indexed_below - merged_below;
    if (unmerged >= 2 * volume_size || (unmerged >= volume_size && fullSegments(progress, last_id) === 0)) {
      return await work.mergeVolume({ from_id: merged_below, range_size: volume_size }, segment_size);
    }
    const next = indexed_below + segment_size;
    if (last_id + 1 < next || !(await work.isSettled(wait_ms_max))) return false;
    if (!(await work.indexSegment({ from_id: indexed_below, range_size: segment_size }))) return false;
    known = { ...progress, indexed_below: next };
    if (!isLeft(unindexed_segments_max)) releaseWriters();
    return true;
  }

  /** One caller at a time works; the others wait for it. */
  async function alone(run: () => Promise<void>): Promise<void> {
    while (working !== null) await working.catch(() => undefined);
    working = run().finally(() => {
      working = null;
    });
    await working;
  }

  /** Whether so many full segments are left, as far as this process knows. */
  function isLeft(segments: number): boolean {
    return known === null ? written_id > 0 : fullSegments(known, written_id) >= segments;
  }

  /** Indexes the segments that are left. Writers that wait go on as soon as few are. */
  async function catchUp(): Promise<void> {
    is_catching_up = true;
    const steps = async (): Promise<void> => {
      while (isWorkLeft() && (await step()));
    };
    await alone(steps).catch(() => undefined);
    is_catching_up = false;
    if (isLeft(1)) paused_until_ms = monotonicNow() + writer_pause_ms;
    releaseWriters();
  }

  function isWorkLeft(): boolean {
    return isLeft(1) || (known !== null && known.indexed_below - known.merged_below >= known.volume_size);
  }

  function releaseWriters(): void {
    for (const release of waiting_writers.splice(0)) release();
  }

  return {
    async run() {
      await alone(async () => {
        while (await step());
      }).catch((error: unknown) => {
        throw faultOf(error);
      });
    },
    async unindexedSegments() {
      const progress = await work.progress().catch((error: unknown) => {
        throw faultOf(error);
      });
      return fullSegments(progress, progress.last_id);
    },
    noteWritten(id) {
      written_id = Math.max(written_id, id);
    },
    async keepUp() {
      if (!isLeft(1) || monotonicNow() < paused_until_ms) return;
      if (!is_catching_up) void catchUp();
      if (isLeft(unindexed_segments_max)) await new Promise<void>((release) => waiting_writers.push(release));
    },
  };
}

function fullSegments({ indexed_below, segment_size }: EventIndexProgress, last_id: number): number {
  return Math.max(0, Math.floor((last_id + 1 - indexed_below) / segment_size));
}
