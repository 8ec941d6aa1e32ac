import {
  backlog_max,
  type DeliveryState,
  failures_until_failing,
  recent_max,
  refuseTakenType,
  toCanonicalTypeId,
  type Webhook,
  type WebhookStore,
} from '@tallystick/events';
import { assert } from '@tallystick/kernel';
import { type Selectable, sql } from 'kysely';
import { lockForUpdate, type Session, type Tables } from '../../connection/session.ts';
import { readNewestFirst } from '../queries/paging.ts';

export const is_failing = sql<boolean>`(tallystick_webhooks.status = 'active' and tallystick_webhooks.failures_in_a_row >= ${sql.lit(failures_until_failing)})`;

export function webhookStore(session: Session): WebhookStore {
  const { db } = session;
  const webhooks = () => db.selectFrom('tallystick_webhooks').selectAll();

  /**
   * Sets the event types of the webhook. Refuses a type that another webhook of the company has.
   */
  async function takeTypes({
    company_id,
    id,
    event_type_ids,
  }: Pick<Webhook, 'company_id' | 'id' | 'event_type_ids'>): Promise<void> {
    // One at a time within a company: two webhooks that exchange types would deadlock.
    await lockForUpdate(
      session,
      db.selectFrom('tallystick_companies').select('id').where('id', '=', company_id),
    ).execute();
    await db.deleteFrom('tallystick_webhook_event_types').where('webhook_id', '=', id).execute();
    for (const written of event_type_ids) {
      const owner = await db
        .insertInto('tallystick_webhook_event_types')
        .values({ company_id, event_type_id: toCanonicalTypeId(written), webhook_id: id })
        // Changes nothing and returns the owner of the type, in one statement, because a webhook
        // may be deleted between two.
        .onConflict((conflict) =>
          conflict
            .columns(['company_id', 'event_type_id'])
            .doUpdateSet({ webhook_id: (eb) => eb.ref('tallystick_webhook_event_types.webhook_id') }),
        )
        .returning('webhook_id')
        .executeTakeFirstOrThrow();
      if (owner.webhook_id !== id) throw refuseTakenType(written, owner.webhook_id);
    }
  }

  return {
    async insert(webhook) {
      const row = await db
        .insertInto('tallystick_webhooks')
        .values({ ...webhook, event_type_ids: JSON.stringify(webhook.event_type_ids), last_sequence: 0 })
        .returningAll()
        .executeTakeFirstOrThrow();
      const inserted = webhookOf(row);
      await takeTypes(inserted);
      return inserted;
    },

    async find(company_id, id, options) {
      const found = webhooks().where('id', '=', id).where('company_id', '=', company_id);
      const row = await (options?.for_update ? lockForUpdate(session, found) : found).executeTakeFirst();
      return row === undefined ? null : webhookOf(row);
    },

    list: (company_id, page) =>
      readNewestFirst('webhooks', webhooks().where('company_id', '=', company_id), page, webhookOf),

    async listStates({ company_id, failing }, page) {
      const pending = sql`from tallystick_deliveries d where d.webhook_id = tallystick_webhooks.id and d.state = 'pending'`;
      let states = webhooks().select([
        sql<number>`(select count(*) from (select 1 ${pending} limit ${sql.lit(backlog_max)}) counted)`.as('backlog'),
        sql<number | null>`(select min(d.due_at_ms) ${pending})`.as('oldest_due_at_ms'),
        recentIn('pending').as('pending'),
        recentIn('succeeded').as('succeeded'),
        recentIn('failed').as('failed'),
      ]);
      if (company_id !== undefined) states = states.where('company_id', '=', company_id);
      if (failing !== undefined) states = states.where(failing ? is_failing : sql<boolean>`not ${is_failing}`);
      return readNewestFirst(
        'webhook-states',
        states,
        page,
        ({ backlog, oldest_due_at_ms, pending, succeeded, failed, ...row }) => {
          const { failures_in_a_row, failing_since_ms } = row;
          const health = { failures_in_a_row, failing_since_ms };
          const recent = { pending: Number(pending), succeeded: Number(succeeded), failed: Number(failed) };
          return { webhook: webhookOf(row), health, backlog: Number(backlog), oldest_due_at_ms, recent };
        },
      );
    },

    async update({ id, company_id, callback_url: _fixed, event_type_ids, ...changed }) {
      const row = await db
        .updateTable('tallystick_webhooks')
        .set({ ...changed, event_type_ids: JSON.stringify(event_type_ids) })
        .where('id', '=', id)
        .returning('id')
        .executeTakeFirst();
      assert(row !== undefined, `webhook ${id} is updated while it is held`);
      await takeTypes({ id, company_id, event_type_ids });
    },

    async delete(company_id, id) {
      // The row first: waits for a relay or desk that holds it, so that no further delivery is
      // created.
      const deleted = await db
        .deleteFrom('tallystick_webhooks')
        .where('id', '=', id)
        .where('company_id', '=', company_id)
        .returning('id')
        .executeTakeFirst();
      if (deleted === undefined) return false;
      await db.deleteFrom('tallystick_webhook_event_types').where('webhook_id', '=', id).execute();
      const its = db.selectFrom('tallystick_deliveries').select('id').where('webhook_id', '=', id);
      await db.deleteFrom('tallystick_delivery_attempts').where('delivery_id', 'in', its).execute();
      await db.deleteFrom('tallystick_deliveries').where('webhook_id', '=', id).execute();
      return true;
    },

    async listAfter(after_id, limit) {
      const next = webhooks().where('id', '>', after_id).orderBy('id').limit(limit);
      return (await lockForUpdate(session, next).execute()).map(webhookOf);
    },
  };
}

/** How many of the newest deliveries of a webhook are in a state. */
function recentIn(state: DeliveryState) {
  const newest = sql`select d.state from tallystick_deliveries d where d.webhook_id = tallystick_webhooks.id
    order by d.id desc limit ${sql.lit(recent_max)}`;
  return sql<number>`(select count(*) from (${newest}) newest where newest.state = ${sql.lit(state)})`;
}

export function webhookOf({
  last_sequence: _,
  failures_in_a_row: __,
  failing_since_ms: ___,
  ...row
}: Selectable<Tables['tallystick_webhooks']>): Webhook {
  return { ...row, event_type_ids: JSON.parse(row.event_type_ids) as readonly number[] };
}
