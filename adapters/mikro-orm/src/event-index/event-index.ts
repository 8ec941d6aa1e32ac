import type { Connection } from '../connection/connection.ts';
import { faultOf } from '../connection/faults.ts';
import { eventIndexOnPostgres } from './event-index-on-postgres.ts';
import { eventIndexOnSqlite } from './event-index-on-sqlite.ts';
import type { EventIndexProgress } from './event-index-work.ts';
import type { EventIndex } from './indexing.ts';

/**
 * With this many segments that are full and not indexed, a writer of events indexes them itself.
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
   * Called by a writer of events after its commit. Indexes segments until fewer than
   * `unindexed_segments_max` are left. Never rejects: the events are committed, and a search finds
   * them without the index.
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
  let paused_until_ms = 0;

  async function readProgress(): Promise<EventIndexProgress> {
    known = await work.progress();
    written_id = known.last_id;
    return known;
  }

  /** Does the next step. Resolves with false when there is none, or not now. */
  async function step(): Promise<boolean> {
    const { segment_size, volume_size, indexed_below, merged_below, last_id } = await readProgress();
    if (indexed_below - merged_below >= volume_size) {
      return await work.mergeVolume({ from_id: merged_below, range_size: volume_size }, segment_size);
    }
    const next = indexed_below + segment_size;
    if (last_id + 1 < next || !(await work.isSettled(wait_ms_max))) return false;
    return await work.indexSegment({ from_id: indexed_below, range_size: segment_size });
  }

  /** One caller at a time works; the others wait for it. */
  async function alone(run: () => Promise<void>): Promise<void> {
    while (working !== null) await working.catch(() => undefined);
    working = run().finally(() => {
      working = null;
    });
    await working;
  }

  function isBehind(): boolean {
    if (known === null) return written_id > 0;
    return fullSegments(known, written_id) >= unindexed_segments_max;
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
      if (!isBehind() || monotonicNow() < paused_until_ms) return;
      await alone(async () => {
        if (known === null) await readProgress();
        while (isBehind() && (await step())) await readProgress();
      }).catch(() => undefined);
      if (isBehind()) paused_until_ms = monotonicNow() + writer_pause_ms;
    },
  };
}

function fullSegments({ indexed_below, segment_size }: EventIndexProgress, last_id: number): number {
  return Math.max(0, Math.floor((last_id + 1 - indexed_below) / segment_size));
}
