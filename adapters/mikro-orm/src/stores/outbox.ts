import type { DeliveryOffer, EventToRelay, Outbox } from '@tallystick/events';
import { sql } from 'kysely';
import { lockForUpdate, type Session } from '../connection/session.ts';
import { isOneOf, jsonRows } from './json-rows.ts';
import { webhookOf } from './webhooks.ts';

/** The events that no relay has taken, and the deliveries made from them. */
export function outbox(session: Session): Outbox {
  const { db, dialect } = session;

  async function eventsOf(ids: readonly number[]): Promise<readonly EventToRelay[]> {
    if (ids.length === 0) return [];
    const of_ids = db
      .selectFrom('events')
      .select(['id', 'company_id', 'event_type'])
      .where(isOneOf(dialect, 'id', ids));
    return await of_ids.orderBy('id').execute();
  }

  return {
    async take(limit) {
      const skip_locked = dialect === 'postgres' ? sql`for update skip locked` : sql``;
      const { rows } = await sql<{ event_id: number }>`
        delete from event_outbox where event_id in (
          select event_id from event_outbox order by event_id limit ${limit} ${skip_locked}
        ) returning event_id`.execute(db);
      return eventsOf(rows.map(({ event_id }) => event_id));
    },

    async takeAllOf(company_id) {
      // Waits for rows that a relay holds; if it rolls back, this transaction takes them.
      const locked = dialect === 'postgres' ? sql`for update of o` : sql``;
      const { rows } = await sql<{ event_id: number }>`
        delete from event_outbox where event_id in (
          select o.event_id from event_outbox o join events e on e.id = o.event_id
          where e.company_id = ${company_id} order by o.event_id ${locked}
        ) returning event_id`.execute(db);
      return eventsOf(rows.map(({ event_id }) => event_id));
    },

    async activeWebhooks(company_ids) {
      const active = db
        .selectFrom('webhooks')
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
      await sql`update webhooks set last_sequence = n.sequence
        from ${jsonRows(dialect, { webhook_id: 'integer', sequence: 'integer' }, sequences)} as n
        where webhooks.id = n.webhook_id`.execute(db);
      const columns = sql.join(Object.keys(delivery_columns).map((name) => sql.ref(name)));
      const { rows } = await sql<{ id: number; webhook_id: number }>`
        insert into deliveries (${columns})
        select ${columns} from ${jsonRows(dialect, delivery_columns, deliveries)} as n where true
        returning id, webhook_id`.execute(db);
      return rows
        .toSorted((a, b) => a.id - b.id)
        .map(({ id, webhook_id }): DeliveryOffer => ({ delivery_id: id, webhook_id }));
    },
  };
}

const delivery_columns = {
  company_id: 'integer',
  webhook_id: 'integer',
  event_id: 'integer',
  sequence: 'integer',
  event_type: 'text',
  state: 'text',
  attempts: 'integer',
  round: 'integer',
  round_started_at_ms: 'integer',
  round_attempts: 'integer',
  due_at_ms: 'integer',
  created_at_ms: 'integer',
  finished_at_ms: 'integer',
} as const;
