import type { Database } from 'better-sqlite3';
import type { SqliteConnection } from '../connection/connection.ts';
import type { EventIndexProgress, EventIndexWork } from './event-index-work.ts';
import {
  type EventRange,
  type FieldBlock,
  type FilterValues,
  indexed_fields,
  indexField,
  mergeField,
  type SegmentBlock,
} from './index-range.ts';

/** Rows that one step reads or writes, so that it takes about a millisecond. */
const rows_max = 256;

/**
 * The event index on SQLite. It works in steps of about a millisecond, and between two steps
 * requests and passes have their turn. Every id below the highest committed one is final, because a
 * transaction that writes holds the only write lock.
 */
export function eventIndexOnSqlite(connection: SqliteConnection): EventIndexWork {
  /** The statements of the connection that reads, and of the one that writes. */
  const prepared = new WeakMap<Database, Statements>();

  /**
   * Runs one step, in a transaction if it writes. Its commit does not wait for the disk: a segment
   * whose index a power failure undid is indexed again.
   */
  async function take<Result>(
    way: 'reading' | 'immediatelyWithoutSync',
    work: (statements: Statements) => Result,
  ): Promise<Result> {
    await connection.timers.nextTurn();
    return await connection[way]((database) => {
      const statements = prepared.get(database) ?? prepareStatements(database);
      prepared.set(database, statements);
      return work(statements);
    });
  }

  async function readEvents({ from_id, range_size }: EventRange): Promise<FilterValues[]> {
    const events: FilterValues[] = [];
    for (let from = from_id; from < from_id + range_size; from += rows_max) {
      const until = Math.min(from + rows_max, from_id + range_size);
      events.push(...(await take('reading', ({ values }) => values.all(from, until))));
    }
    return events;
  }

  /**
   * Writes the blocks, and calls `finish` in the transaction of the last ones. Stops with false
   * when another process has finished the range: it has written the same blocks.
   */
  async function write(
    { from_id, range_size }: EventRange,
    blocks: readonly FieldBlock[],
    isNext: (progress: EventIndexProgress) => boolean,
    finish: (statements: Statements) => void,
  ): Promise<boolean> {
    for (let written = 0; ; ) {
      const is_ours = await take('immediatelyWithoutSync', (statements) => {
        if (!isNext(statements.progress.get()!)) return false;
        const rows = blocks.slice(written, written + rows_max);
        for (const { field, first_key, entries } of rows) {
          statements.insert.run(range_size, from_id, field, first_key, entries);
        }
        written += rows.length;
        if (written === blocks.length) finish(statements);
        return true;
      });
      if (!is_ours || written === blocks.length) return is_ours;
    }
  }

  return {
    progress: () => take('reading', ({ progress }) => progress.get()!),
    isSettled: async () => true,

    async indexSegment(segment) {
      const events = await readEvents(segment);
      const blocks: FieldBlock[] = [];
      for (const [at, field] of indexed_fields.entries()) {
        await connection.timers.nextTurn();
        blocks.push(...indexField(segment, field, events, at));
      }
      return await write(
        segment,
        blocks,
        ({ indexed_below }) => indexed_below === segment.from_id,
        ({ set_indexed }) => set_indexed.run(segment.from_id + segment.range_size),
      );
    },

    async mergeVolume(volume, segment_size) {
      const { from_id, range_size } = volume;
      const end = from_id + range_size;
      const blocks: FieldBlock[] = [];
      for (const field of indexed_fields) {
        const segments = await take('reading', (statements) =>
          statements.segment_blocks.all({ segment_size, from_id, end, field: field.field }),
        );
        await connection.timers.nextTurn();
        blocks.push(...mergeField(volume, field, segments));
      }
      const is_ours = await write(
        volume,
        blocks,
        ({ merged_below }) => merged_below === from_id,
        ({ set_merged }) => set_merged.run(end),
      );
      // Also removes what a process left that died here.
      while (await take('immediatelyWithoutSync', (its) => its.delete_segment.run({ segment_size }).changes > 0));
      return is_ours;
    },
  };
}

type Statements = ReturnType<typeof prepareStatements>;

function prepareStatements(database: Database) {
  const columns = indexed_fields.map(({ column }) => column).join(', ');
  return {
    progress: database.prepare<[], EventIndexProgress>(
      `select segment_size, volume_size, indexed_below, merged_below,
         coalesce((select seq from sqlite_sequence where name = 'tallystick_events'), 0) as last_id
       from tallystick_event_index`,
    ),
    values: database
      .prepare<[number, number], FilterValues>(
        `select id, company_id, ${columns} from tallystick_events where id >= ? and id < ? order by id`,
      )
      .raw() as unknown as { all(from: number, until: number): FilterValues[] },
    segment_blocks: database.prepare<[object], SegmentBlock>(
      `select b.from_id, b.entries from tallystick_event_filter_blocks b
       where b.range_size = $segment_size and b.from_id in (
         with recursive segment (from_id) as (select $from_id union all select from_id + $segment_size from segment where from_id + $segment_size < $end)
         select from_id from segment
       ) and b.field = $field order by b.from_id, b.first_key`,
    ),
    insert: database.prepare('insert or replace into tallystick_event_filter_blocks values (?, ?, ?, ?, ?)'),
    set_indexed: database.prepare('update tallystick_event_index set indexed_below = ?'),
    set_merged: database.prepare('update tallystick_event_index set merged_below = ?'),
    /** Deletes the blocks of the oldest segment that belongs to a volume. */
    delete_segment: database.prepare<[object]>(
      `delete from tallystick_event_filter_blocks where range_size = $segment_size and from_id = (
         select from_id from tallystick_event_filter_blocks where range_size = $segment_size order by from_id limit 1
       ) and from_id + $segment_size <= (select merged_below from tallystick_event_index)`,
    ),
  };
}
