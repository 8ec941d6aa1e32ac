import type { PoolClient } from 'pg';
import type { PostgresConnection } from '../connection/connection.ts';
import { lockKey } from '../schema/locks.ts';
import type { EventIndexProgress, EventIndexWork } from './event-index-work.ts';
import { eventWritersOn } from './event-writers.ts';
import {
  type EventRange,
  type FieldBlock,
  type FilterValues,
  indexed_fields,
  indexField,
  mergeField,
  type SegmentBlock,
} from './index-range.ts';

/** The advisory lock of the process that indexes. Any number, the same in all processes. */
const indexer_lock = 7_311_855_131;

const progress_sql = `select segment_size, volume_size, indexed_below, merged_below,
    (select case when is_called then last_value else 0 end from tallystick_events_id_seq) as last_id
  from tallystick_event_index`;

/**
 * The event index on Postgres, one transaction for each segment or volume.
 *
 * A segment can be full while a transaction that owns one of its ids is open. Once the sequence has
 * passed it, it is final when the writers seen then have ended (`EventWriters`).
 */
export function eventIndexOnPostgres(
  connection: Pick<PostgresConnection, 'pool' | 'runOutermost' | 'timers'>,
): EventIndexWork {
  const { pool, runOutermost, timers } = connection;
  const writers = eventWritersOn(connection);

  /**
   * Runs the work in a transaction unless another process is indexing. The transaction sees what
   * that process committed last.
   */
  async function alone(
    isNext: (progress: EventIndexProgress) => boolean,
    work: (client: PoolClient) => Promise<void>,
  ): Promise<boolean> {
    return await runOutermost(async () => {
      const client = await pool.connect();
      let failed = true;
      try {
        // A segment whose index a crash undid is indexed again, so the commit need not wait for the
        // disk.
        await client.query('begin; set local synchronous_commit = off');
        const locked = await client.query<{ is_locked: boolean }>(
          `select pg_try_advisory_xact_lock(${lockKey(indexer_lock)}) as is_locked`,
        );
        let is_ours = locked.rows[0]!.is_locked;
        if (is_ours) {
          const { rows } = await client.query<EventIndexProgress>(progress_sql);
          is_ours = isNext(rows[0]!);
          if (is_ours) await work(client);
        }
        await client.query('commit');
        failed = false;
        return is_ours;
      } finally {
        // A failed client may be within the transaction: closing it ends both.
        client.release(failed);
      }
    });
  }

  async function insert(client: PoolClient, range: EventRange, blocks: readonly FieldBlock[]): Promise<void> {
    await client.query(
      `insert into tallystick_event_filter_blocks (range_size, from_id, field, first_key, entries)
         select $1, $2, b.* from unnest($3::bigint[], $4::bytea[], $5::bytea[]) as b`,
      [
        range.range_size,
        range.from_id,
        blocks.map(({ field }) => field),
        blocks.map(({ first_key }) => first_key),
        blocks.map(({ entries }) => entries),
      ],
    );
  }

  return {
    async progress() {
      const { rows } = await pool.query<EventIndexProgress>(progress_sql);
      return rows[0]!;
    },

    async isSettled(ms_max) {
      return await writers.haveEnded(await writers.read(), ms_max);
    },

    indexSegment: (segment) =>
      alone(
        ({ indexed_below }) => indexed_below === segment.from_id,
        async (client) => {
          const { from_id, range_size } = segment;
          const columns = indexed_fields.map(({ column }) => column).join(', ');
          const { rows } = await client.query<(string | number | null)[]>({
            text: `select id, company_id, ${columns} from tallystick_events where id >= $1 and id < $2 order by id`,
            values: [from_id, from_id + range_size],
            rowMode: 'array',
          });
          const events = rows as unknown as FilterValues[];
          const blocks: FieldBlock[] = [];
          for (const [at, field] of indexed_fields.entries()) {
            await timers.nextTurn();
            blocks.push(...indexField(segment, field, events, at));
          }
          await insert(client, segment, blocks);
          await client.query('update tallystick_event_index set indexed_below = $1', [from_id + range_size]);
        },
      ),

    mergeVolume: (volume, segment_size) =>
      alone(
        ({ merged_below }) => merged_below === volume.from_id,
        async (client) => {
          const { from_id, range_size } = volume;
          const end = from_id + range_size;
          const { rows } = await client.query<SegmentBlock & { readonly field: number }>(
            `select field, from_id, entries from tallystick_event_filter_blocks
               where range_size = $1 and from_id >= $2 and from_id < $3 order by field, from_id, first_key`,
            [segment_size, from_id, end],
          );
          const by_field = Map.groupBy(rows, ({ field }) => field);
          for (const field of indexed_fields) {
            await timers.nextTurn();
            await insert(client, volume, mergeField(volume, field, by_field.get(field.field) ?? []));
          }
          await client.query('delete from tallystick_event_filter_blocks where range_size = $1 and from_id < $2', [
            segment_size,
            end,
          ]);
          await client.query('update tallystick_event_index set merged_below = $1', [end]);
        },
      ),
  };
}
