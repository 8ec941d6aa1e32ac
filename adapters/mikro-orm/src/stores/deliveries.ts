import type { Attempt, Delivery, DeliveryStore } from '@tallystick/events';
import { type Selectable, sql } from 'kysely';
import { lockForUpdate, type Session, type Tables } from '../connection/session.ts';
import { isOneOf } from './json-rows.ts';
import { readNewestFirst } from './paging.ts';

/** Deliveries as clients read and retry them. */
export function deliveryStore(session: Session): DeliveryStore {
  const { db, dialect } = session;
  const deliveries = () => db.selectFrom('deliveries').selectAll();

  async function attemptsOf(delivery_ids: readonly number[]): Promise<ReadonlyMap<number, readonly Attempt[]>> {
    if (delivery_ids.length === 0) return new Map();
    const rows = await db
      .selectFrom('delivery_attempts')
      .selectAll()
      .where(isOneOf(dialect, 'delivery_id', delivery_ids))
      .orderBy('delivery_id')
      .orderBy('number')
      .execute();
    return Map.groupBy(rows, (row) => row.delivery_id);
  }

  return {
    async list(webhook_id, { state }, page) {
      let its = deliveries().where('webhook_id', '=', webhook_id);
      if (state !== undefined) its = its.where('state', '=', state);
      const { items, next } = await readNewestFirst('deliveries', its, 'id', page, deliveryOf);
      const attempts = await attemptsOf(items.map(({ id }) => id));
      return { items: items.map((delivery) => ({ delivery, attempts: attempts.get(delivery.id) ?? [] })), next };
    },

    async read(webhook_id, id) {
      const its = deliveries().where('id', '=', id).where('webhook_id', '=', webhook_id);
      const row = await its.executeTakeFirst();
      if (row === undefined) return null;
      return { delivery: deliveryOf(row), attempts: (await attemptsOf([id])).get(id) ?? [] };
    },

    async find(webhook_id, id, options) {
      const found = deliveries().where('id', '=', id).where('webhook_id', '=', webhook_id);
      const row = await (options?.for_update ? lockForUpdate(session, found) : found).executeTakeFirst();
      return row === undefined ? null : deliveryOf(row);
    },

    async update({ id, ...delivery }) {
      await db.updateTable('deliveries').set(delivery).where('id', '=', id).execute();
    },

    async recover(webhook_id, since_ms, now_ms, limit) {
      const failed = db
        .selectFrom('deliveries')
        .select('id')
        .where('webhook_id', '=', webhook_id)
        .where('state', '=', 'failed')
        // The time of the failure is up to 108 minutes after the event: the start of an outage
        // covers everything that it caused.
        .where('finished_at_ms', '>=', since_ms)
        .orderBy('id')
        .limit(limit);
      const rows = await db
        .updateTable('deliveries')
        .set((eb) => ({
          state: 'pending' as const,
          round: eb('round', '+', 1),
          round_started_at_ms: null,
          round_attempts: 0,
          due_at_ms: now_ms,
        }))
        .where('id', 'in', lockForUpdate(session, failed))
        .returning('id')
        .execute();
      return rows.length;
    },

    async purge(before_ms, limit) {
      const old = db
        .selectFrom('delivery_attempts')
        .select(['delivery_id', 'number'])
        .where('at_ms', '<', before_ms)
        .orderBy('at_ms')
        .limit(limit);
      const attempts = await sql`delete from delivery_attempts where (delivery_id, number) in ${old}`.execute(db);
      const finished = db
        .selectFrom('deliveries')
        .select('id')
        .where('state', '<>', 'pending')
        .where('finished_at_ms', '<', before_ms)
        .orderBy('finished_at_ms')
        .limit(limit);
      const ended = await db
        .deleteFrom('deliveries')
        .where('id', 'in', lockForUpdate(session, finished))
        .executeTakeFirst();
      return Number(attempts.numAffectedRows ?? 0n) + Number(ended.numDeletedRows);
    },
  };
}

export function deliveryOf({
  lease: _,
  lease_until_machine_ms: __,
  ...row
}: Selectable<Tables['deliveries']>): Delivery {
  return row;
}
