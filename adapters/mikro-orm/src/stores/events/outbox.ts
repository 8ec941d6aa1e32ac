import type { DeliveryOffer, EventToRelay, Outbox } from '@tallystick/events';
import { type Selectable, sql } from 'kysely';
import { lockForUpdate, type Session, type Tables } from '../../connection/session.ts';
import { lockClass } from '../../schema/locks.ts';
import { columnsOf } from '../../schema/tables/columns.ts';
import { EventOutboxEntry } from '../../schema/tables/events.ts';
import { Delivery } from '../../schema/tables/webhooks.ts';
import { insertAll } from '../queries/insert-rows.ts';
import { isOneOf, jsonRows } from '../queries/json-rows.ts';
import { claim } from '../webhooks/delivery-desk.ts';
import { webhookOf } from '../webhooks/webhooks.ts';

/**
 * The relays of all processes lock groups, so that one relay at a time numbers the events of a
 * company. A company belongs to the group `company_id % groups`. Locks per group, not per company,
 * limit the number of locks that Postgres must keep.
 */
const groups = 64;

/** The class of the advisory locks of groups. Any number, the same in all processes. */
const group_locks = 1_919_513_970;

/**
 * How long a relay may pause within its transaction. Postgres then ends the connection of the
 * relay, and its groups are free for the others. A relay waits for nothing outside of the database.
 */
const pause_ms_max = 10_000;

/** Rows in one statement: it runs in one turn on SQLite. */
const rows_max = 500;

/**
 * Adds the events to the outbox when the transaction commits. Their positions are drawn by its last
 * statement: a transaction that begins to commit after another has committed gets higher positions,
 * even if it drew the ids of its events first.
 */
export function putInOutbox(session: Session, events: readonly EventToRelay[]): void {
  session.beforeCommit(async () => {
    const entries = events.map(({ id, company_id, event_type }) => ({ event_id: id, company_id, event_type }));
    for (let from = 0; from < entries.length; from += rows_max) {
      await insertAll(session, 'tallystick_event_outbox', outbox_columns, entries.slice(from, from + rows_max));
    }
  });
}

const outbox_columns = columnsOf(EventOutboxEntry, 'position');

/** The events that no relay has taken, and the deliveries made from them. */
export function outbox(session: Session): Outbox {
  const { db, dialect } = session;

  /**
   * Locks the groups of the first `window` events, except those that another relay has locked.
   * Returns each group and whether it was locked.
   */
  async function lockGroups(window: number | null) {
    const head = sql`select company_id from tallystick_event_outbox order by position limit ${window}`;
    const { rows } = await sql<{ relay_group: number; is_locked: boolean }>`
      with waiting as materialized (select distinct (company_id % ${sql.lit(groups)})::int as relay_group from (${head}) h)
      select relay_group, pg_try_advisory_xact_lock(${sql.raw(lockClass(group_locks))}, relay_group) as is_locked,
        set_config('idle_in_transaction_session_timeout', ${sql.lit(String(pause_ms_max))}, true)
      from waiting`.execute(db);
    return rows;
  }

  /**
   * Deletes the entries and returns their events in the order of their positions. The locks of the
   * groups precede this statement. So it sees everything that previous relays of the groups did.
   */
  async function takeEntries(positions: ReturnType<typeof sql>): Promise<readonly EventToRelay[]> {
    const { rows } = await sql<Selectable<Tables['tallystick_event_outbox']>>`
      delete from tallystick_event_outbox where position in (${positions})
      returning position, event_id, company_id, event_type`.execute(db);
    return rows
      .toSorted((a, b) => a.position - b.position)
      .map(({ event_id, company_id, event_type }) => ({ id: event_id, company_id, event_type }));
  }

  return {
    async take(limit) {
      if (dialect === 'sqlite') {
        // The transaction has the write lock of the database, and so has every group.
        const events = await takeEntries(
          sql`select position from tallystick_event_outbox order by position limit ${limit}`,
        );
        return { events, passed_over: false };
      }
      let found = await lockGroups(8 * limit);
      // Behind many events of groups that others have locked there may be events of other groups.
      if (found.length > 0 && !found.some(({ is_locked }) => is_locked)) found = await lockGroups(null);
      const locked = found.filter(({ is_locked }) => is_locked).map(({ relay_group }) => relay_group);
      const passed_over = locked.length < found.length;
      if (locked.length === 0) return { events: [], passed_over };
      const events = await takeEntries(sql`
        select position from tallystick_event_outbox where company_id % ${sql.lit(groups)} in (${sql.join(locked.map((group) => sql.lit(group)))})
        order by position limit ${limit}`);
      return { events, passed_over };
    },

    async takeAllOf(company_id) {
      if (dialect === 'postgres') {
        await sql`select pg_advisory_xact_lock(${sql.raw(lockClass(group_locks))}, ${company_id % groups})`.execute(db);
      }
      return takeEntries(sql`select position from tallystick_event_outbox where company_id = ${company_id}`);
    },

    async activeWebhooks(company_ids) {
      const active = db
        .selectFrom('tallystick_webhooks')
        .selectAll()
        .where(isOneOf(dialect, 'company_id', company_ids))
        .where('status', '=', 'active')
        .orderBy('id');
      const rows = await lockForUpdate(session, active).execute();
      return rows.map((row) => ({ webhook: webhookOf(row), last_sequence: row.last_sequence }));
    },

    async enqueue(deliveries) {
      const last = new Map<number, number>();
      for (const { webhook_id, sequence } of deliveries) last.set(webhook_id, sequence);
      const sequences = [...last].map(([webhook_id, sequence]) => ({ webhook_id, sequence }));
      await sql`update tallystick_webhooks set last_sequence = n.sequence
        from ${jsonRows(dialect, { webhook_id: 'integer', sequence: 'integer' }, sequences)} as n
        where tallystick_webhooks.id = n.webhook_id`.execute(db);
      const rows = await insertAll<{ readonly id: number; readonly webhook_id: number }>(
        session,
        'tallystick_deliveries',
        delivery_columns,
        deliveries,
        ['id', 'webhook_id'],
      );
      return rows
        .toSorted((a, b) => a.id - b.id)
        .map(({ id, webhook_id }): DeliveryOffer => ({ delivery_id: id, webhook_id }));
    },

    claim: (delivery_ids, now_ms, lease) => claim(session, delivery_ids, now_ms, lease),
  };
}

const delivery_columns = columnsOf(Delivery, 'id', 'lease', 'lease_until_machine_ms');
