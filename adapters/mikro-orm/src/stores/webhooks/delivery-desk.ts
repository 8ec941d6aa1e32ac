import {
  type Delivery,
  type DeliveryDesk,
  type HealthChange,
  healthChanges,
  type WorkOrder,
  type WorkResult,
} from '@tallystick/events';
import type { Lease, UnitOfWork } from '@tallystick/kernel';
import { type Selectable, sql } from 'kysely';
import type { Session, Tables } from '../../connection/session.ts';
import { columnsOf } from '../../schema/tables/columns.ts';
import { DeliveryAttempt } from '../../schema/tables/webhooks.ts';
import { event_fields, eventOf } from '../events/read-event.ts';
import { forEach } from '../queries/for-each.ts';
import { insertAll } from '../queries/insert-rows.ts';
import { isOneOf, jsonRows } from '../queries/json-rows.ts';
import { deliveryOf } from './deliveries.ts';
import { is_failing, webhookOf } from './webhooks.ts';

/** Claims and records deliveries in batches of one transaction each. */
export function deliveryDesk(sessions: UnitOfWork<Session>): DeliveryDesk {
  return {
    claim: (delivery_ids, now_ms, lease) =>
      delivery_ids.length === 0
        ? Promise.resolve([])
        : sessions.run((session) => claim(session, delivery_ids, now_ms, lease)),
    record: (results) =>
      results.length === 0 ? Promise.resolve() : sessions.run((session) => record(session, results)),
    due: (now_ms, machine_ms, bounds) => sessions.read((session) => due(session, now_ms, machine_ms, bounds)),
    backlog: () =>
      sessions.read(async ({ db }) => {
        const { rows } = await sql<{ pending: number; oldest_due_at_ms: number | null; failing: number }>`
          select count(*) as pending, min(d.due_at_ms) filter (where not ${is_failing}) as oldest_due_at_ms,
            (select count(*) from tallystick_webhooks where ${is_failing}) as failing
          from tallystick_deliveries d join tallystick_webhooks on tallystick_webhooks.id = d.webhook_id
          where d.state = 'pending' and tallystick_webhooks.status = 'active'`.execute(db);
        const [{ pending, oldest_due_at_ms, failing }] = rows as [(typeof rows)[number]];
        const is_due = oldest_due_at_ms !== null;
        return {
          pending: Number(pending),
          oldest_due_at_ms: is_due ? Number(oldest_due_at_ms) : null,
          failing: Number(failing),
        };
      }),
    workload: (now_ms, machine_ms) =>
      sessions.read(async ({ db }) => {
        const { due, in_flight, unrelayed } = await db
          .selectFrom('tallystick_deliveries')
          .select((eb) => [
            eb.fn.countAll<number>().as('due'),
            eb.fn.countAll<number>().filterWhere('lease_until_machine_ms', '>', machine_ms).as('in_flight'),
            // In one statement: a relay that commits between two statements would hide its
            // deliveries from both.
            eb
              .selectFrom('tallystick_event_outbox')
              .select((one) => one.fn.countAll<number>().as('count'))
              .as('unrelayed'),
          ])
          .where('state', '=', 'pending')
          .where('due_at_ms', '<=', now_ms)
          .where('webhook_id', 'in', db.selectFrom('tallystick_webhooks').select('id').where('status', '=', 'active'))
          .executeTakeFirstOrThrow();
        return {
          unrelayed: Number(unrelayed),
          waiting: Number(due) - Number(in_flight),
          in_flight: Number(in_flight),
        };
      }),
  };
}

/** Claims deliveries in the transaction of the session. */
export async function claim(
  { db, dialect }: Session,
  delivery_ids: readonly number[],
  now_ms: number,
  lease: Lease,
): Promise<readonly WorkOrder[]> {
  const skip_locked = dialect === 'postgres' ? sql`for update skip locked` : sql``;
  const { rows } = await sql<Selectable<Tables['tallystick_deliveries']>>`
    update tallystick_deliveries set lease = ${lease.token}, lease_until_machine_ms = ${lease.until_machine_ms}
    where id in (
      select d.id from tallystick_deliveries d
      where ${isOneOf(dialect, 'd.id', delivery_ids)} and d.state = 'pending' and d.due_at_ms <= ${now_ms}
        and (d.lease_until_machine_ms is null or d.lease_until_machine_ms <= ${lease.machine_ms})
        and exists (select 1 from tallystick_webhooks w where w.id = d.webhook_id and w.status = 'active')
      order by d.id ${skip_locked}
    ) returning *`.execute(db);
  if (rows.length === 0) return [];
  const event_ids = [...new Set(rows.map((row) => row.event_id))];
  const webhook_ids = [...new Set(rows.map((row) => row.webhook_id))];
  const events = await db
    .selectFrom('tallystick_events')
    .select(event_fields)
    .where(isOneOf(dialect, 'id', event_ids))
    .execute();
  const webhooks = await db
    .selectFrom('tallystick_webhooks')
    .selectAll()
    .where(isOneOf(dialect, 'id', webhook_ids))
    .execute();
  const event_by_id = new Map(events.map((row) => [row.id, eventOf(row)]));
  const webhook_by_id = new Map(webhooks.map((row) => [row.id, webhookOf(row)]));
  // An update returns its rows in no order.
  return rows
    .toSorted((a, b) => a.id - b.id)
    .flatMap((row): WorkOrder[] => {
      const event = event_by_id.get(row.event_id);
      const webhook = webhook_by_id.get(row.webhook_id);
      // The webhook was deleted between the two statements, and the delivery with it.
      if (event === undefined || webhook === undefined) return [];
      return [{ delivery: deliveryOf(row), webhook, event, lease: lease.token }];
    });
}

async function record(session: Session, given: readonly WorkResult[]): Promise<void> {
  // Webhooks before deliveries: their deletion locks in this order, too.
  await changeHealth(session, healthChanges(given));
  // Of two results for one delivery, the lease of the first expired before it was recorded: only
  // the last counts.
  const results = [...new Map(given.map((result) => [result.delivery.id, result])).values()];
  const in_order = results.toSorted((a, b) => a.delivery.id - b.delivery.id);
  const rows = in_order.map(({ delivery, lease }): ResultRow => {
    const { id, state, attempts, round, round_started_at_ms, round_attempts, due_at_ms, finished_at_ms } = delivery;
    return { id, state, attempts, round, round_started_at_ms, round_attempts, due_at_ms, finished_at_ms, lease };
  });
  const still_ours = new Set(await recordInRound(session, rows));
  const others = still_ours.size === rows.length ? [] : rows.filter(({ id }) => !still_ours.has(id));
  for (const id of await recordInAnyRound(session, others)) still_ours.add(id);
  const attempts = results.flatMap(({ attempt }) => (still_ours.has(attempt.delivery_id) ? [attempt] : []));
  if (attempts.length > 0) await insertAll(session, 'tallystick_delivery_attempts', attempt_columns, attempts);
}

interface ResultRow extends Pick<Delivery, keyof typeof result_columns & keyof Delivery> {
  readonly lease: string;
}

/** The columns that a result changes in its round only. */
const round_columns = ['state', 'round_started_at_ms', 'round_attempts', 'due_at_ms', 'finished_at_ms'] as const;

/**
 * Records, on SQLite, the results of the current rounds of their deliveries: almost all. Returns the
 * ids of their deliveries.
 */
async function recordInRound(session: Session, rows: readonly ResultRow[]): Promise<readonly number[]> {
  if (session.dialect === 'postgres') return [];
  const text = `update tallystick_deliveries set ${round_columns.map((name) => `${name} = ?`).join(', ')},
    attempts = ?, lease = null, lease_until_machine_ms = null where id = ? and lease = ? and round = ? returning id`;
  const recorded = await forEach<{ id: number }>(
    session,
    text,
    [...round_columns, 'attempts', 'id', 'lease', 'round'],
    rows,
  );
  return recorded.map(({ id }) => id);
}

/**
 * Records results of whose deliveries a retry may have begun a new round after the claim. The state
 * of that round stays. Returns the ids of the deliveries that still had the lease.
 */
async function recordInAnyRound({ db, dialect }: Session, rows: readonly ResultRow[]): Promise<readonly number[]> {
  if (rows.length === 0) return [];
  const in_its_round = round_columns.map((name) => {
    const [mine, stored] = [sql.ref(`n.${name}`), sql.ref(`tallystick_deliveries.${name}`)];
    return sql`${sql.ref(name)} = case when tallystick_deliveries.round = n.round then ${mine} else ${stored} end`;
  });
  const recorded = await sql<{ id: number }>`
    update tallystick_deliveries set ${sql.join(in_its_round)}, attempts = n.attempts, lease = null, lease_until_machine_ms = null
    from ${jsonRows(dialect, result_columns, rows)} as n
    where tallystick_deliveries.id = n.id and tallystick_deliveries.lease = n.lease
    returning tallystick_deliveries.id as id`.execute(db);
  return recorded.rows.map(({ id }) => id);
}

/** Writes no row while the attempts of a healthy webhook succeed. */
async function changeHealth({ db, dialect }: Session, changes: readonly HealthChange[]): Promise<void> {
  const rows = changes.map(({ succeeded, ...change }) => ({ ...change, succeeded: succeeded ? 1 : 0 }));
  const table = jsonRows(dialect, health_columns, rows);
  const in_id_order = dialect === 'postgres' ? sql`order by w.id for update of w` : sql``;
  await sql`
    update tallystick_webhooks set
      failures_in_a_row = n.failures + case when n.succeeded = 1 then 0 else failures_in_a_row end,
      failing_since_ms = case when n.succeeded = 1 then n.since_ms else coalesce(failing_since_ms, n.since_ms) end
    from ${table} as n
    where tallystick_webhooks.id = n.webhook_id and tallystick_webhooks.id in (
      select w.id from tallystick_webhooks w join ${table} as m on m.webhook_id = w.id
      where m.failures > 0 or w.failures_in_a_row > 0 ${in_id_order}
    )`.execute(db);
}

const health_columns = {
  webhook_id: 'integer',
  succeeded: 'integer',
  failures: 'integer',
  since_ms: 'integer',
} as const;

const attempt_columns = columnsOf(DeliveryAttempt);

const result_columns = {
  id: 'integer',
  state: 'text',
  attempts: 'integer',
  round: 'integer',
  round_started_at_ms: 'integer',
  round_attempts: 'integer',
  due_at_ms: 'integer',
  finished_at_ms: 'integer',
  lease: 'text',
} as const;

/**
 * Takes the oldest of each webhook by its index, so that a long backlog of one does not hide the
 * others.
 */
async function due(
  { db, dialect }: Session,
  now_ms: number,
  machine_ms: number,
  { per_webhook, limit, passed_over }: Parameters<DeliveryDesk['due']>[2],
) {
  const oldest = sql`
    select x.id, x.webhook_id, x.due_at_ms from tallystick_deliveries x
    where x.webhook_id = w.id and x.state = 'pending' and x.due_at_ms <= ${now_ms}
      and (x.lease_until_machine_ms is null or x.lease_until_machine_ms <= ${machine_ms})
    order by x.due_at_ms, x.id limit ${per_webhook}`;
  const of_each =
    dialect === 'postgres'
      ? sql`cross join lateral (${oldest}) d`
      : sql`join tallystick_deliveries d on d.id in (select id from (${oldest}))`;
  const { rows } = await sql<{ id: number; webhook_id: number; due_at_ms: number }>`
    select d.id, d.webhook_id, d.due_at_ms from tallystick_webhooks w ${of_each} where w.status = 'active' and not ${isOneOf(dialect, 'w.id', passed_over)} limit ${limit}`.execute(
    db,
  );
  // The join may lose the order of the inner select.
  return rows
    .toSorted((a, b) => a.due_at_ms - b.due_at_ms || a.id - b.id)
    .map(({ id, webhook_id }) => ({ delivery_id: id, webhook_id }));
}
