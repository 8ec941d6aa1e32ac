import {
  type DeliveryBacklog,
  failures_until_failing,
  recent_max,
  type WebhookAnswer,
  type WebhookState,
} from '@tallystick/events';
import { assert } from '@tallystick/kernel';
import { assertEqual } from '../assertions.ts';
import { anotherOf, type ContractRule, rule } from '../rule.ts';
import { everyPage, newCompany } from '../storage/storage.ts';
import {
  answered,
  lease,
  minute_ms,
  now_ms,
  queued,
  register,
  resultOf,
  success,
  timeout,
  type WebhookStorage,
  writeWebhook,
} from './webhook-storage.ts';

/** Claims a delivery for each answer, and records the answers in one batch, a minute apart. */
async function attempt(
  { delivery_desk }: WebhookStorage,
  ids: readonly number[],
  ...answers: readonly WebhookAnswer[]
): Promise<void> {
  const orders = await delivery_desk.claim(ids.slice(0, answers.length), now_ms, lease);
  assertEqual(orders.length, answers.length, 'the claimed deliveries');
  await delivery_desk.record(answers.map((answer, at) => resultOf(orders[at]!, answer, now_ms + at * minute_ms)));
}

async function stateOf({ unitOfWork }: WebhookStorage, company_id: number): Promise<WebhookState> {
  const { items } = await unitOfWork.read((tx) => tx.webhooks.listStates({ company_id }, { limit: 2 }));
  assertEqual(items.length, 1, 'the webhooks of the company');
  return items[0]!;
}

/** What the rule added to the backlog. */
function added(before: DeliveryBacklog, after: DeliveryBacklog) {
  return { pending: after.pending - before.pending, failing: after.failing - before.failing };
}

/**
 * The contract of the state of webhooks: `WebhookStore.listStates`, and the part of `DeliveryDesk`
 * that keeps their health.
 */
export const webhook_states_contract: readonly ContractRule<WebhookStorage>[] = [
  rule('the failures in a row are counted from the last success, with the time of the first', async (here) => {
    const { webhook, ids } = await queued(here, 12);
    const { company_id } = webhook;
    const health = async () => Object.values((await stateOf(here, company_id)).health);
    assertEqual(await health(), [0, null], 'a new webhook');
    await attempt(here, ids.slice(0), success, success);
    assertEqual(await health(), [0, null], 'after successes');
    await attempt(here, ids.slice(2), timeout, success, answered(500), answered(302));
    assertEqual(await health(), [2, now_ms + 2 * minute_ms], 'after a batch that ends in failures');
    await attempt(here, ids.slice(6), answered(410), timeout);
    assertEqual(await health(), [4, now_ms + 2 * minute_ms], 'after more failures');
    await attempt(here, ids.slice(8), timeout, success);
    assertEqual(await health(), [0, null], 'after a batch that ends in a success');
  }),
  rule('concurrent records count every failure of every webhook once', async (here) => {
    const there = await anotherOf(here);
    const both = [await queued(here, 8), await queued(here, 8)];
    const orders = await here.delivery_desk.claim(
      both.flatMap(({ ids }) => ids),
      now_ms,
      lease,
    );
    const of = (at: number) => orders.filter(({ webhook }) => webhook.id === both[at]!.webhook.id);
    const [first, second] = [of(0), of(1)];
    await Promise.all(
      first.map((order, at) => {
        // Each batch has both webhooks, in another order.
        const batch = [order, second[at]!].map((one) => resultOf(one, timeout));
        return (at % 2 === 0 ? here : there).delivery_desk.record(at % 3 === 0 ? batch.toReversed() : batch);
      }),
    );
    for (const { webhook } of both) {
      const { health } = await stateOf(here, webhook.company_id);
      assertEqual(health, { failures_in_a_row: 8, failing_since_ms: now_ms }, 'the health');
    }
  }),
  rule('a result of a webhook that was deleted meanwhile changes nothing', async (here) => {
    const { webhook, ids } = await queued(here, 1);
    const [order] = await here.delivery_desk.claim(ids, now_ms, lease);
    await here.unitOfWork.run((tx) => tx.webhooks.delete(webhook.company_id, webhook.id));
    await here.delivery_desk.record([resultOf(order!, timeout)]);
    const { items } = await here.unitOfWork.read((tx) =>
      tx.webhooks.listStates({ company_id: webhook.company_id }, { limit: 2 }),
    );
    assertEqual(items, [], 'the webhooks of the company');
  }),
  rule(
    'the state of a webhook has what waits for it and its newest deliveries, and an update keeps its health',
    async (here) => {
      const { webhook, ids } = await queued(here, recent_max + 2);
      await attempt(here, ids, success, success, success, timeout, answered(410));
      const changed = { ...webhook, event_type_ids: [2], status: 'inactive' } as const;
      await writeWebhook(here, changed);
      const health = { failures_in_a_row: 2, failing_since_ms: now_ms + 3 * minute_ms };
      // Two of the pending deliveries are older than the newest.
      const recent = { pending: recent_max - 4, succeeded: 3, failed: 1 };
      const expected: WebhookState = {
        webhook: changed,
        health,
        backlog: recent_max - 2,
        oldest_due_at_ms: now_ms,
        recent,
      };
      assertEqual(await stateOf(here, webhook.company_id), expected, 'the state');
      const company_id = await newCompany(here);
      const empty = await register(here, company_id);
      const nothing = {
        health: { failures_in_a_row: 0, failing_since_ms: null },
        backlog: 0,
        oldest_due_at_ms: null,
        recent: { pending: 0, succeeded: 0, failed: 0 },
      };
      assertEqual(await stateOf(here, company_id), { webhook: empty, ...nothing }, 'a webhook without deliveries');
    },
  ),
  rule(
    'webhooks of all companies are listed newest first, and those that fail alone, on pages that omit none',
    async (here) => {
      const made = [await queued(here, 4), await queued(here, 4), await queued(here, 4), await queued(here, 4)];
      const failures = Array.from({ length: failures_until_failing }, () => timeout);
      for (const { ids } of made.slice(1)) await attempt(here, ids, ...failures);
      await attempt(here, made[1]!.ids.slice(3), success);
      await writeWebhook(here, { ...made[2]!.webhook, status: 'inactive' });
      const own = made.map(({ webhook }) => webhook.id);
      const listed = async (filter: { failing?: boolean }) => {
        const states = await here.unitOfWork.read((tx) => everyPage((page) => tx.webhooks.listStates(filter, page), 3));
        return states.map(({ webhook }) => webhook.id).filter((id) => own.includes(id));
      };
      assertEqual(await listed({}), own.toReversed(), 'all');
      assertEqual(await listed({ failing: true }), [own[3]], 'active webhooks whose last attempts failed');
      assertEqual(await listed({ failing: false }), own.slice(0, 3).toReversed(), 'the others');
    },
  ),
  rule('the backlog counts failing webhooks, and what waits for them is not overdue', async (here) => {
    const before = await here.delivery_desk.backlog();
    const { webhook, ids } = await queued(here, 5);
    const failures = Array.from({ length: failures_until_failing - 1 }, () => timeout);
    await attempt(here, ids, ...failures);
    const almost = await here.delivery_desk.backlog();
    assertEqual(added(before, almost), { pending: 5, failing: 0 }, 'before the last failure');
    assert(almost.oldest_due_at_ms !== null && almost.oldest_due_at_ms <= now_ms, 'a delivery is due');
    await attempt(here, ids.slice(failures.length), timeout);
    const failing = await here.delivery_desk.backlog();
    assertEqual(added(before, failing), { pending: 5, failing: 1 }, 'while it fails');
    assertEqual(failing.oldest_due_at_ms, before.oldest_due_at_ms, 'the oldest due delivery of other webhooks');
    await writeWebhook(here, { ...webhook, status: 'inactive' });
    assertEqual(added(before, await here.delivery_desk.backlog()), { pending: 0, failing: 0 }, 'while inactive');
  }),
];
