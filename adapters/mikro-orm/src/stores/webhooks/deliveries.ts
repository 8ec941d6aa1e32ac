import type { Attempt, Delivery, DeliveryFilter, DeliveryStore, EventFilter } from '@tallystick/events';
import { afterId, afterTime, type PageRequest, timedCursor } from '@tallystick/kernel';
import { type Selectable, sql } from 'kysely';
import { lockForUpdate, type Session, type Tables } from '../../connection/session.ts';
import type { Dialect } from '../../schema/dialect.ts';
import { findEventIds } from '../events/event-search.ts';
import { isOneOf } from '../queries/json-rows.ts';
import { readNewestFirst } from '../queries/paging.ts';

/** The name of the list of the deliveries of events. Its cursors have an event in place of a time. */
const event_deliveries = 'event-deliveries';

/** The events whose deliveries one statement reads, and those of one page. */
const events_at_once = 101;
const examined_max = 5 * events_at_once;

/** Deliveries as clients read and retry them. */
export function deliveryStore(session: Session): DeliveryStore {
  const { db, dialect } = session;
  const deliveries = () => db.selectFrom('tallystick_deliveries').selectAll();

  async function attemptsOf(delivery_ids: readonly number[]): Promise<ReadonlyMap<number, readonly Attempt[]>> {
    if (delivery_ids.length === 0) return new Map();
    const rows = await db
      .selectFrom('tallystick_delivery_attempts')
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
      const { items, next } = await readNewestFirst('deliveries', its, page, deliveryOf);
      const attempts = await attemptsOf(items.map(({ id }) => id));
      return { items: items.map((delivery) => ({ delivery, attempts: attempts.get(delivery.id) ?? [] })), next };
    },

    async listOfAll(filter, page) {
      const { webhook_id } = filter;
      let its = deliveries();
      if (webhook_id !== undefined) its = its.where('webhook_id', '=', webhook_id);
      if (isFoundByWebhook(filter)) {
        its = its.where('id', 'in', newestOfWebhooks(dialect, filter, afterId('all-deliveries', page), page));
      } else if (filter.state !== undefined) {
        its = its.where('state', '=', filter.state);
      }
      const { items, next } = await readNewestFirst('all-deliveries', its, page, deliveryOf);
      const attempts = await attemptsOf(items.map(({ id }) => id));
      return { items: items.map((delivery) => ({ delivery, attempts: attempts.get(delivery.id) ?? [] })), next };
    },

    async listOfEvents(company_id, wanted, page) {
      const after = afterTime(event_deliveries, page);
      const found: Delivery[] = [];
      let below = after === null ? null : after.at_ms + 1;
      let next: string | null = null;
      for (let examined = 0; ; ) {
        const events = await newestEvents(session, company_id, wanted, below);
        const its = (
          await deliveries()
            .where(isOneOf(dialect, 'event_id', events))
            .execute()
        ).map(deliveryOf);
        const isAfter = ({ event_id, id }: Delivery) => event_id !== after?.at_ms || id < after.id;
        found.push(...its.filter(isAfter).sort((a, b) => b.event_id - a.event_id || b.id - a.id));
        examined += events.length;
        below = events.at(-1) ?? null;
        const is_full = found.length > page.limit;
        if (is_full) next = cursorOf(found[page.limit - 1]!);
        // Nothing is left of the last event.
        else if (examined >= examined_max && below !== null) next = cursorOf({ event_id: below, id: 1 });
        if (is_full || next !== null || events.length < events_at_once) break;
        await session.giveWay();
      }
      const shown = found.slice(0, page.limit);
      const attempts = await attemptsOf(shown.map(({ id }) => id));
      return { items: shown.map((delivery) => ({ delivery, attempts: attempts.get(delivery.id) ?? [] })), next };
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
      await db.updateTable('tallystick_deliveries').set(delivery).where('id', '=', id).execute();
    },

    async recover(webhook_id, since_ms, now_ms, limit) {
      const failed = db
        .selectFrom('tallystick_deliveries')
        .select('id')
        .where('webhook_id', '=', webhook_id)
        .where('state', '=', 'failed')
        // The time of the failure is up to 108 minutes after the event: the start of an outage
        // covers everything that it caused.
        .where('finished_at_ms', '>=', since_ms)
        .orderBy('id')
        .limit(limit);
      const rows = await db
        .updateTable('tallystick_deliveries')
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
  };
}

/** The newest events below an id that meet one of the lists of filters, newest first. */
async function newestEvents(
  session: Session,
  company_id: number,
  wanted: readonly (readonly EventFilter[])[],
  below: number | null,
): Promise<readonly number[]> {
  const ids = new Set<number>();
  for (const filters of wanted) {
    for (const id of await findEventIds(session, { company_id, filters, below, wanted: events_at_once })) ids.add(id);
  }
  return [...ids].sort((one, other) => other - one).slice(0, events_at_once);
}

function cursorOf({ event_id, id }: Pick<Delivery, 'event_id' | 'id'>): string {
  return timedCursor(event_deliveries, { at_ms: event_id, id });
}

/**
 * Whether the deliveries are found webhook by webhook: few of all deliveries are of one company,
 * pending or failed. The others are found in the order of the list.
 */
function isFoundByWebhook({ company_id, state, due }: DeliveryFilter): boolean {
  return company_id !== undefined || due !== undefined || state === 'pending' || state === 'failed';
}

/**
 * The ids of the newest deliveries of each webhook that match: as many as the page needs, read from
 * an index of the webhook's deliveries.
 */
function newestOfWebhooks(
  dialect: Dialect,
  { company_id, webhook_id, state, due }: DeliveryFilter,
  after: number | null,
  { limit, offset }: PageRequest,
) {
  const of_delivery = [sql`x.webhook_id = w.id`];
  if (after !== null) of_delivery.push(sql`x.id < ${after}`);
  // Written into the statement, because partial indexes are found by it.
  if (state !== undefined) of_delivery.push(sql`x.state = ${sql.lit(state)}`);
  if (due !== undefined && state === undefined) of_delivery.push(sql`x.state = 'pending'`);
  if (due?.from_ms !== undefined) of_delivery.push(sql`x.due_at_ms >= ${due.from_ms}`);
  if (due?.to_ms !== undefined) of_delivery.push(sql`x.due_at_ms <= ${due.to_ms}`);
  // Pending ones are few, and are sorted. In the order of ids, the index of all deliveries of the
  // webhook would be read for them.
  const is_pending = state === 'pending' || due !== undefined;
  const newest = sql`select x.id from tallystick_deliveries x where ${sql.join(of_delivery, sql` and `)}
    order by ${is_pending ? sql`x.id + 0` : sql`x.id`} desc limit ${limit + 1 + (offset ?? 0)}`;
  const of_each =
    dialect === 'postgres'
      ? sql`cross join lateral (${newest}) d`
      : sql`join tallystick_deliveries d on d.id in (${newest})`;
  const of_webhook = [sql`true`];
  if (company_id !== undefined) of_webhook.push(sql`w.company_id = ${company_id}`);
  if (webhook_id !== undefined) of_webhook.push(sql`w.id = ${webhook_id}`);
  return sql<number>`(select d.id from tallystick_webhooks w ${of_each} where ${sql.join(of_webhook, sql` and `)})`;
}

export function deliveryOf({
  lease: _,
  lease_until_machine_ms: __,
  ...row
}: Selectable<Tables['tallystick_deliveries']>): Delivery {
  return row;
}
