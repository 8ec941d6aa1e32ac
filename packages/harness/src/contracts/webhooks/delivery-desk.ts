import { relayEvents, retryDelivery, type WorkOrder } from '@tallystick/events';
import { assert, type Lease } from '@tallystick/kernel';
import { assertEqual } from '../assertions.ts';
import { anotherOf, type ContractRule, rule, ruleThatNeeds } from '../rule.ts';
import { newCompany } from '../storage/storage.ts';
import {
  answered,
  appendEvents,
  callOf,
  deliveriesOf,
  lease,
  minute_ms,
  now_ms,
  queued,
  register,
  relayAll,
  resultOf,
  success,
  timeout,
  type WebhookStorage,
  writeWebhook,
} from './webhook-storage.ts';

const other_lease: Lease = { ...lease, token: 'two' };

/** Returns the ids of the webhook's due deliveries, in the order in which they are offered. */
async function dueOf(
  { delivery_desk }: WebhookStorage,
  webhook_id: number,
  at: { readonly now_ms?: number; readonly machine_ms?: number; readonly per_webhook?: number } = {},
): Promise<readonly number[]> {
  const bounds = { per_webhook: at.per_webhook ?? 100, limit: 100_000, passed_over: [] };
  const offers = await delivery_desk.due(at.now_ms ?? now_ms, at.machine_ms ?? now_ms, bounds);
  return offers.filter((offer) => offer.webhook_id === webhook_id).map(({ delivery_id }) => delivery_id);
}

function idsOf(orders: readonly WorkOrder[]): readonly number[] {
  return orders.map(({ delivery }) => delivery.id).toSorted((a, b) => a - b);
}

/**
 * Returns the deliveries with the state, the attempts and the round that a record may change, the
 * oldest first.
 */
async function readingsOf({ unitOfWork }: WebhookStorage, webhook_id: number) {
  const { items } = await unitOfWork.read((tx) => tx.deliveries.list(webhook_id, {}, { limit: 100 }));
  return items.toReversed().map(({ delivery, attempts }) => ({
    state: delivery.state,
    count: delivery.attempts,
    round_attempts: delivery.round_attempts,
    due_at_ms: delivery.due_at_ms,
    attempts: attempts.map(({ number, status }) => [number, status]),
  }));
}

export const delivery_desk_contract: readonly ContractRule<WebhookStorage>[] = [
  rule('racing workers claim each delivery once', async (here) => {
    const there = await anotherOf(here);
    const { ids } = await queued(here, 40);
    const claims = Array.from({ length: 8 }, (_, place) =>
      (place % 2 === 0 ? here : there).delivery_desk.claim(ids, now_ms, { ...lease, token: `worker ${place}` }),
    );
    assertEqual(idsOf((await Promise.all(claims)).flat()), ids, 'the claimed deliveries');
  }),
  rule('a claim returns the delivery, its webhook, its event and the lease', async (here) => {
    const { webhook, ids } = await queued(here, 2);
    const orders = await here.delivery_desk.claim(ids, now_ms, lease);
    const deliveries = await deliveriesOf(here, webhook.id);
    const expected = await here.unitOfWork.read((tx) =>
      Promise.all(
        deliveries.map(async (delivery) => {
          const event = await tx.events.find(webhook.company_id, delivery.event_id);
          return { delivery, webhook, event, lease: lease.token };
        }),
      ),
    );
    assertEqual(
      orders.toSorted((a, b) => a.delivery.id - b.delivery.id),
      expected,
      'the work orders',
    );
    assert(
      expected.every(({ event }) => event !== null),
      'an event is missing',
    );
  }),
  rule(
    'a claim skips deliveries that are leased, not due yet, not pending, unknown or of an inactive webhook',
    async (here) => {
      const { webhook, ids } = await queued(here, 4);
      const { claim, record } = here.delivery_desk;
      const [leased, later, done, free] = ids as [number, number, number, number];
      await claim([leased], now_ms, lease);
      const orders = await claim([later, done], now_ms, other_lease);
      const answers = new Map([
        [later, timeout],
        [done, success],
      ]);
      await record(orders.map((order) => resultOf(order, answers.get(order.delivery.id)!)));
      assertEqual(
        idsOf(await claim([...ids, 999_999_999], now_ms, { ...lease, token: 'three' })),
        [free],
        'the claimed',
      );
      await writeWebhook(here, { ...webhook, status: 'inactive' });
      const all_due = { ...lease, machine_ms: lease.until_machine_ms };
      assertEqual(await claim(ids, now_ms + 10 * minute_ms, all_due), [], 'of an inactive webhook');
      await writeWebhook(here, webhook);
      assertEqual(idsOf(await claim(ids, now_ms + 10 * minute_ms, all_due)), [leased, later, free], 'when all is due');
    },
  ),
  rule(
    'a record ends the lease and stores state and attempt; a result with a lost lease changes no delivery',
    async (here) => {
      const { webhook, ids } = await queued(here, 2);
      const orders = await here.delivery_desk.claim(ids, now_ms, lease);
      const [first, second] = orders.toSorted((a, b) => a.delivery.id - b.delivery.id).map((o) => resultOf(o, success));
      await here.delivery_desk.record([first!, { ...second!, lease: 'another' }]);
      const read = (id: number) => here.unitOfWork.read((tx) => tx.deliveries.read(webhook.id, id));
      assertEqual(
        await read(ids[0]!),
        {
          delivery: first!.delivery,
          attempts: [first!.attempt],
        },
        'the recorded delivery',
      );
      const untouched = orders.find(({ delivery }) => delivery.id === ids[1])?.delivery;
      assertEqual(await read(ids[1]!), { delivery: untouched, attempts: [] }, 'the other one');
      await here.delivery_desk.record([second!]);
      assertEqual((await read(ids[1]!))?.delivery.state, 'succeeded', 'with its own lease');
      await here.delivery_desk.record([second!]);
      assertEqual((await read(ids[1]!))?.attempts.length, 1, 'recorded twice');
    },
  ),
  rule('only the result with the current lease counts when a batch has two results of one delivery', async (here) => {
    const { webhook, ids } = await queued(here, 1);
    const { claim, record } = here.delivery_desk;
    const [first] = await claim(ids, now_ms, lease);
    const until_machine_ms = lease.until_machine_ms + 30_000;
    const [second] = await claim(ids, now_ms, { token: 'two', machine_ms: lease.until_machine_ms, until_machine_ms });
    assert(first !== undefined && second !== undefined, 'an expired lease is not claimed again');
    await record([resultOf(first, timeout), resultOf(second, success)]);
    const readings = await readingsOf(here, webhook.id);
    assertEqual(readings[0]?.state, 'succeeded', 'state');
    assertEqual(readings[0]?.attempts, [[1, 204]], 'attempts');
  }),
  rule('an answer with a NUL is recorded, with the other answers of its batch', async (here) => {
    const { webhook, ids } = await queued(here, 2);
    const [first, second] = await here.delivery_desk.claim(ids, now_ms, lease);
    await here.delivery_desk.record([resultOf(first!, answered(200, '\0')), resultOf(second!, success)]);
    const states = (await readingsOf(here, webhook.id)).map(({ state }) => state);
    assertEqual(states, ['succeeded', 'succeeded'], 'states');
  }),
  rule(
    'a retry while an attempt is in flight starts a new round, and the attempt is recorded without ending it',
    async (here) => {
      const { webhook, ids } = await queued(here, 3);
      const { claim, record } = here.delivery_desk;
      const call = callOf(webhook.company_id, now_ms + 5);
      const answers = new Map([success, timeout, answered(410)].map((answer, place) => [ids[place]!, answer]));
      const orders = await claim(ids, now_ms, lease);
      for (const id of ids) await here.unitOfWork.run((tx) => retryDelivery(tx, call, webhook.id, id));
      assertEqual(await claim(ids, call.now_ms, other_lease), [], 'claimed while in flight');
      await record(orders.map((order) => resultOf(order, answers.get(order.delivery.id)!)));
      const begun = { state: 'pending', count: 1, round_attempts: 0, due_at_ms: call.now_ms };
      const readings = await readingsOf(here, webhook.id);
      const statuses = [204, null, 410];
      assertEqual(
        readings,
        statuses.map((status) => ({ ...begun, attempts: [[1, status]] })),
        'after the record',
      );

      const [next] = await claim([ids[2]!], call.now_ms, other_lease);
      assert(next !== undefined, 'the new round is not claimed');
      await record([resultOf(next, success, call.now_ms)]);
      const ended = { state: 'succeeded', count: 2, round_attempts: 1, due_at_ms: null };
      const attempts = [
        [1, 410],
        [2, 204],
      ];
      assertEqual((await readingsOf(here, webhook.id))[2], { ...ended, attempts }, 'after the new round');
    },
  ),
  rule('neither a retry nor a record is lost when they race', async (here) => {
    const there = await anotherOf(here);
    const { webhook, ids } = await queued(here, 12);
    const call = callOf(webhook.company_id);
    const orders = await here.delivery_desk.claim(ids, now_ms, lease);
    assertEqual(orders.length, 12, 'claimed');
    await Promise.all(
      orders.flatMap((order) => [
        here.delivery_desk.record([resultOf(order, success)]),
        there.unitOfWork.run((tx) => retryDelivery(tx, call, webhook.id, order.delivery.id)),
      ]),
    );
    const { items } = await here.unitOfWork.read((tx) => tx.deliveries.list(webhook.id, {}, { limit: 100 }));
    assertEqual(items.length, 12, 'deliveries');
    for (const { delivery, attempts } of items) {
      const { state, attempts: count, round } = delivery;
      const reading = { state, count, round, attempts: attempts.length };
      assertEqual(reading, { state: 'pending', count: 1, round: 2, attempts: 1 }, `delivery ${delivery.id}`);
    }
    assertEqual(idsOf(await there.delivery_desk.claim(ids, now_ms, other_lease)), ids, 'claimed again');
  }),
  rule('due offers pending deliveries of active webhooks that are not leased and are due', async (here) => {
    const { webhook, ids } = await queued(here, 5);
    const [order] = await here.delivery_desk.claim([ids[0]!], now_ms, lease);
    const sorted = async (at?: Parameters<typeof dueOf>[2]) =>
      (await dueOf(here, webhook.id, at)).toSorted((a, b) => a - b);
    assertEqual(await sorted(), ids.slice(1), 'while one is leased');
    assertEqual(await sorted({ machine_ms: lease.until_machine_ms }), ids, 'after its lease has expired');
    await here.delivery_desk.record([resultOf(order!, timeout)]);
    const again_ms = (await deliveriesOf(here, webhook.id))[0]?.due_at_ms ?? 0;
    assert(again_ms > now_ms, 'a failed attempt has no later one');
    assertEqual(await sorted({ now_ms: again_ms - 1 }), ids.slice(1), 'before the next attempt');
    assertEqual(await sorted({ now_ms: again_ms }), ids, 'at the next attempt');
    await writeWebhook(here, { ...webhook, status: 'inactive' });
    assertEqual(await sorted({ now_ms: again_ms }), [], 'of an inactive webhook');
  }),
  rule(
    'due offers the oldest due deliveries of each webhook, at most the limit, and none of skipped webhooks',
    async (here) => {
      const one = await queued(here, 3);
      const two = await queued(here, 3);
      // The first of webhook one is due again, later than the other two.
      const [order] = await here.delivery_desk.claim([one.ids[0]!], now_ms, lease);
      await here.delivery_desk.record([resultOf(order!, timeout)]);
      const later_ms = now_ms + 10 * minute_ms;
      const offered = (webhook_id: number, per_webhook: number) =>
        dueOf(here, webhook_id, { now_ms: later_ms, per_webhook });
      const [latest, ...oldest] = one.ids;
      assertEqual(await offered(one.webhook.id, 9), [...oldest, latest], 'all of webhook one, the oldest due first');
      assertEqual(await offered(one.webhook.id, 2), one.ids.slice(1), 'two of webhook one');
      assertEqual(await offered(two.webhook.id, 1), two.ids.slice(0, 1), 'one of webhook two');
      const bounds = { per_webhook: 9, limit: 100_000, passed_over: [one.webhook.id] };
      const passed = await here.delivery_desk.due(later_ms, now_ms, bounds);
      assert(!passed.some(({ webhook_id }) => webhook_id === one.webhook.id), 'a webhook was not skipped');
      assert(
        passed.some(({ webhook_id }) => webhook_id === two.webhook.id),
        'too many webhooks were skipped',
      );
      const limited = await here.delivery_desk.due(later_ms, now_ms, { ...bounds, limit: 2 });
      assertEqual(limited.length, 2, 'with a limit of 2');
    },
  ),
  rule('the backlog counts pending deliveries of active webhooks, due or not, and finds the first', async (here) => {
    const before = await here.delivery_desk.backlog();
    const { webhook, ids } = await queued(here, 3);
    const [first] = await here.delivery_desk.claim([ids[0]!], now_ms, lease);
    await here.delivery_desk.record([resultOf(first!, success)]);
    const [second] = await here.delivery_desk.claim([ids[1]!], now_ms, lease);
    await here.delivery_desk.record([resultOf(second!, timeout)]);
    const oldest_due_at_ms = Math.min(now_ms, before.oldest_due_at_ms ?? now_ms);
    const backlog = { ...before, pending: before.pending + 2, oldest_due_at_ms };
    assertEqual(await here.delivery_desk.backlog(), backlog, 'the backlog');
    await writeWebhook(here, { ...webhook, status: 'inactive' });
    assertEqual(await here.delivery_desk.backlog(), before, 'without it');
  }),
  rule(
    'the workload counts the waiting deliveries and those in flight, of active webhooks and due now',
    async (here) => {
      const { claim, record, workload } = here.delivery_desk;
      const before = await workload(now_ms, now_ms);
      const more = async () => {
        const { waiting, in_flight } = await workload(now_ms, now_ms);
        return { waiting: waiting - before.waiting, in_flight: in_flight - before.in_flight };
      };
      const { webhook, ids } = await queued(here, 3);
      assertEqual(await more(), { waiting: 3, in_flight: 0 }, 'after the relay');
      const [first, second] = await claim(ids.slice(1), now_ms, lease);
      assertEqual(await more(), { waiting: 1, in_flight: 2 }, 'after the claim');
      await record([resultOf(first!, timeout), resultOf(second!, success)]);
      assertEqual(await more(), { waiting: 1, in_flight: 0 }, 'one is due later and one is done');
      await claim(ids, now_ms, lease);
      assertEqual(await more(), { waiting: 0, in_flight: 1 }, 'after another claim');
      await writeWebhook(here, { ...webhook, status: 'inactive' });
      assertEqual(await more(), { waiting: 0, in_flight: 0 }, 'of an inactive webhook');
    },
  ),
  ruleThatNeeds(
    'concurrent_transactions',
    'an event is unrelayed until the transaction that makes its deliveries has committed',
    async (here) => {
      const there = await anotherOf(here);
      const company_id = await newCompany(here);
      await register(here, company_id);
      await relayAll(here);
      const before = await here.delivery_desk.workload(now_ms, now_ms);
      await appendEvents(here, company_id, 2);
      const [taken, seen] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const relaying = there.unitOfWork.run(async (tx) => {
        await relayEvents(tx, now_ms, 100);
        taken.resolve();
        await seen.promise;
      });
      await taken.promise;
      const during = await here.delivery_desk.workload(now_ms, now_ms);
      seen.resolve();
      await relaying;
      assertEqual(during, { ...before, unrelayed: before.unrelayed + 2 }, 'during the transaction');
      const after = await here.delivery_desk.workload(now_ms, now_ms);
      assertEqual(after, { ...before, waiting: before.waiting + 2 }, 'after the transaction');
    },
  ),
  rule('a delivery whose lease has expired is no longer in flight, and waits', async (here) => {
    const { ids } = await queued(here, 1);
    const { claim, workload } = here.delivery_desk;
    const before = await workload(now_ms, lease.until_machine_ms - 1);
    await claim(ids, now_ms, lease);
    const held = await workload(now_ms, lease.until_machine_ms - 1);
    const over = await workload(now_ms, lease.until_machine_ms);
    const expected = { ...before, waiting: before.waiting - 1, in_flight: before.in_flight + 1 };
    assertEqual(held, expected, 'while it lasts');
    assertEqual(over.waiting + over.in_flight, before.waiting + before.in_flight, 'in all');
    assertEqual(over.in_flight, 0, 'in flight');
  }),
];
