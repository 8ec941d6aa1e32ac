import {
  type EventRange,
  type FilterValues,
  type IndexedField,
  indexed_fields,
  indexField,
} from '../event-index/index-range.ts';
import { event_index_backfill } from '../schema/event-index-schema.ts';
import { dropFilterIndexes } from '../schema/migrations/0013-event-index.ts';
import type { BackfillRange, BackfillStep } from './backfill-step.ts';

/**
 * Indexes the events from before the migration by volumes. A number is one field of one volume, so
 * that a batch is short: volume 0 has the numbers 1 to 18, volume 1 those from 19 on.
 */
export const event_index_step: BackfillStep = {
  name: event_index_backfill,
  unit: 'parts of the event index',
  batch_max: 2,

  copyOnSqlite(database, range) {
    const size = database.prepare<[], number>('select volume_size from event_index').pluck().get()!;
    const insert = database.prepare('insert or replace into event_filter_blocks values (?, ?, ?, ?, ?)');
    for (const { volume, field } of partsOf(range, size)) {
      const { from_id, range_size } = volume;
      const events = database
        .prepare(`select id, company_id, ${field.column} from events where id >= ? and id < ? order by id`)
        .raw()
        .all(from_id, from_id + range_size) as FilterValues[];
      for (const block of indexField(volume, field, events, 0)) {
        insert.run(range_size, from_id, block.field, block.first_key, block.entries);
      }
    }
  },

  async copyOnPostgres(client, range) {
    const sizes = await client.query<{ volume_size: number }>('select volume_size from event_index');
    for (const { volume, field } of partsOf(range, sizes.rows[0]!.volume_size)) {
      const { from_id, range_size } = volume;
      const { rows } = await client.query<(string | number | null)[]>({
        text: `select id, company_id, ${field.column} from events where id >= $1 and id < $2 order by id`,
        values: [from_id, from_id + range_size],
        rowMode: 'array',
      });
      const blocks = indexField(volume, field, rows as unknown as FilterValues[], 0);
      await client.query(
        `insert into event_filter_blocks (range_size, from_id, field, first_key, entries)
           select $1, $2, $3, b.* from unnest($4::bytea[], $5::bytea[]) as b on conflict do nothing`,
        [
          range_size,
          from_id,
          field.field,
          blocks.map(({ first_key }) => first_key),
          blocks.map(({ entries }) => entries),
        ],
      );
    }
  },

  // On SQLite the column `segment` stays: to drop it would rewrite the table. Nothing reads it.
  removal: {
    sqlite: dropFilterIndexes(),
    postgres: [
      ...dropFilterIndexes().map((statement) => statement.replace('drop index', 'drop index concurrently')),
      'alter table events drop column if exists segment',
    ],
  },
};

function partsOf(
  { after, through }: BackfillRange,
  range_size: number,
): readonly { readonly volume: EventRange; readonly field: IndexedField }[] {
  return Array.from({ length: through - after }, (_, at) => {
    const part = after + at;
    const volume = Math.floor(part / indexed_fields.length);
    return {
      volume: { from_id: volume * range_size, range_size },
      field: indexed_fields[part % indexed_fields.length]!,
    };
  });
}
