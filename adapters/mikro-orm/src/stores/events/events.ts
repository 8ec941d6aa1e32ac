import type { EventStore } from '@tallystick/events';
import { afterId } from '@tallystick/kernel';
import { sql } from 'kysely';
import { prepared } from '../../connection/prepared-statement.ts';
import { type Session, toJsonOrNull } from '../../connection/session.ts';
import type { WrittenEventIndex } from '../../event-index/event-index.ts';
import { event_writers_lock, lockKey } from '../../schema/locks.ts';
import { event_columns, eventRecord } from '../../schema/records/event-row.ts';
import { insertAll } from '../queries/insert-rows.ts';
import { isOneOf } from '../queries/json-rows.ts';
import { pageOf, readNewestFirst } from '../queries/paging.ts';
import { findEventIds } from './event-search.ts';
import { putInOutbox } from './outbox.ts';
import { type EventRow, event_fields, eventOf } from './read-event.ts';

/** Rows in one statement: it runs in one turn on SQLite. */
const rows_max = 500;

export function eventStore(session: Session, event_index: Pick<WrittenEventIndex, 'noteWritten'>): EventStore {
  const { db, dialect } = session;
  /**
   * Ids for `count` new rows in rising order. On SQLite the transaction holds the write lock, so no
   * other process takes them. On Postgres it is a writer of events from before it draws them.
   */
  async function drawIds(count: number): Promise<readonly number[]> {
    if (dialect === 'postgres') {
      const { rows } = await sql<{ id: number }>`
        with writer as materialized (select pg_advisory_xact_lock_shared(${sql.raw(lockKey(event_writers_lock))}))
        select nextval('tallystick_events_id_seq') as id from writer cross join generate_series(1, ${count})`.execute(
        db,
      );
      return rows.map(({ id }) => id).sort((a, b) => a - b);
    }
    // Not the highest id of the table: the newest events may have been purged.
    const { rows } = await sql<{
      id: number;
    }>`select seq as id from sqlite_sequence where name = 'tallystick_events'`.execute(db);
    const last_id = rows[0]?.id ?? 0;
    return Array.from({ length: count }, (_, at) => last_id + 1 + at);
  }

  return {
    async append(events) {
      const ids = await drawIds(events.length);
      const stored = events.map((event, at) => ({ ...event, id: ids[at]! }));
      event_index.noteWritten(ids.at(-1) ?? 0);
      for (let from = 0; from < stored.length; from += rows_max) {
        const rows = stored.slice(from, from + rows_max).map((event) => {
          const { payload, ...record } = eventRecord(event);
          return { ...record, payload: JSON.stringify(payload), previous: toJsonOrNull(event.previous) };
        });
        await insertAll(session, 'tallystick_events', event_columns, rows);
      }
      putInOutbox(session, stored);
      return stored;
    },

    async find(company_id, id) {
      const row = await db
        .selectFrom('tallystick_events')
        .select(event_fields)
        .where('id', '=', id)
        .where('company_id', '=', company_id)
        .executeTakeFirst();
      return row === undefined ? null : eventOf(row);
    },

    async list(company_id, filters, page) {
      if (filters.length === 0) {
        const events = db.selectFrom('tallystick_events').select(event_fields);
        const its = company_id === null ? events : events.where('company_id', '=', company_id);
        return await readNewestFirst('events', its, page, eventOf);
      }
      const { limit, offset = 0 } = page;
      const search = { company_id, filters, below: afterId('events', page), wanted: limit + 1 + offset };
      const ids = (await findEventIds(session, search)).slice(offset);
      if (ids.length === 0) return { items: [], next: null };
      // After `findEventIds`, which sets how the statement is planned.
      const { rows } = await sql<EventRow>`${prepared}
        select ${sql.join(event_fields.map((field) => sql.ref(field)))} from tallystick_events
        where ${isOneOf(dialect, 'id', ids)} order by id desc`.execute(db);
      return pageOf('events', rows, page.limit, eventOf);
    },
  };
}
