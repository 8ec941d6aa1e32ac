import type { Delivery, DeliveryFilter } from '@tallystick/events';
import { assert } from '@tallystick/kernel';
import { assertEqual } from '../assertions.ts';
import { type ContractRule, rule } from '../rule.ts';
import { everyPage } from '../storage/storage.ts';
import {
  deliveriesOf,
  lastFailureOf,
  lease,
  minute_ms,
  now_ms,
  queued,
  resultOf,
  success,
  timeout,
  type WebhookStorage,
} from './webhook-storage.ts';

/** The delivery at the start of a new round. */
function newRound(delivery: Delivery, due_at_ms: number): Delivery {
  const begun = { state: 'pending', round_started_at_ms: null, round_attempts: 0, due_at_ms } as const;
  return { ...delivery, ...begun, round: delivery.round + 1 };
}

export const delivery_store_contract: readonly ContractRule<WebhookStorage>[] = [
  rule('deliveries are listed newest first with their attempts, by state, on pages that omit none', async (here) => {
    const { webhook, ids } = await queued(here, 4);
    const [first] = await here.delivery_desk.claim([ids[0]!], now_ms, lease);
    const { delivery, attempt } = resultOf(first!, success);
    await here.delivery_desk.record([{ delivery, attempt, lease: lease.token }]);
    await here.unitOfWork.read(async ({ deliveries }) => {
      const one = await deliveries.list(webhook.id, {}, { limit: 3 });
      assert(one.next !== null, 'the first page has no cursor');
      const two = await deliveries.list(webhook.id, {}, { limit: 3, after: one.next });
      const listed = [...one.items, ...two.items];
      assertEqual(
        listed.map((reading) => reading.delivery.id),
        ids.toReversed(),
        'ids',
      );
      assertEqual(listed.at(-1), { delivery, attempts: [attempt] }, 'the attempted one');
      assertEqual(two.next, null, 'the cursor of the last page');
      const idsOfState = async (state: Delivery['state']) =>
        (await deliveries.list(webhook.id, { state }, { limit: 9 })).items.map((reading) => reading.delivery.id);
      assertEqual(await idsOfState('pending'), ids.slice(1).toReversed(), 'pending');
      assertEqual(await idsOfState('succeeded'), ids.slice(0, 1), 'succeeded');
      assertEqual(await idsOfState('failed'), [], 'failed');
    });
  }),
  rule(
    'deliveries of all companies are listed newest first, by company, webhook, state and next attempt',
    async (here) => {
      const [one, two] = [await queued(here, 5), await queued(here, 5)];
      const own = new Set([...one.ids, ...two.ids]);
      for (const { ids } of [one, two]) {
        const [succeeded, failed, retried] = await here.delivery_desk.claim(ids.slice(0, 3), now_ms, lease);
        const results = [resultOf(succeeded!, success), lastFailureOf(failed!), resultOf(retried!, timeout)];
        await here.delivery_desk.record(results);
      }
      const listed = async (filter: DeliveryFilter) => {
        const readings = await here.unitOfWork.read((tx) =>
          everyPage((page) => tx.deliveries.listOfAll(filter, page), 2),
        );
        return readings.map(({ delivery }) => delivery.id).filter((id) => own.has(id));
      };
      const newest = (...ids: readonly number[]) => ids.toSorted((a, b) => b - a);
      const { company_id, id: webhook_id } = one.webhook;
      const at = (...places: readonly number[]) => places.flatMap((place) => [one.ids[place]!, two.ids[place]!]);
      assertEqual(await listed({}), newest(...own), 'all');
      assertEqual(await listed({ company_id }), newest(...one.ids), 'of a company');
      assertEqual(await listed({ webhook_id }), newest(...one.ids), 'of a webhook');
      assertEqual(await listed({ company_id, webhook_id: two.webhook.id }), [], "of another company's webhook");
      assertEqual(await listed({ state: 'succeeded' }), newest(...at(0)), 'succeeded');
      assertEqual(await listed({ state: 'failed' }), newest(...at(1)), 'failed');
      assertEqual(await listed({ state: 'pending' }), newest(...at(2, 3, 4)), 'pending');
      assertEqual(await listed({ company_id, state: 'failed' }), [one.ids[1]], 'failed, of a company');
      const due = { from_ms: now_ms + 1 };
      assertEqual(await listed({ due }), newest(...at(2)), 'due later');
      assertEqual(await listed({ webhook_id, due: { to_ms: now_ms } }), newest(one.ids[3]!, one.ids[4]!), 'due now');
      assertEqual(await listed({ due, state: 'failed' }), [], 'failed ones have no next attempt');
      const page = await here.unitOfWork.read((tx) => tx.deliveries.listOfAll({ company_id }, { limit: 2, offset: 3 }));
      assertEqual(
        page.items.map(({ delivery, attempts }) => [delivery.id, attempts.length]),
        [
          [one.ids[1], 1],
          [one.ids[0], 1],
        ],
        'with an offset, and their attempts',
      );
    },
  ),
  rule('a delivery is read by the id of its webhook only', async (here) => {
    const { webhook, ids } = await queued(here, 1);
    const [delivery] = await deliveriesOf(here, webhook.id);
    const [id] = ids as [number];
    await here.unitOfWork.run(async ({ deliveries }) => {
      assertEqual(await deliveries.read(webhook.id, id), { delivery, attempts: [] }, 'read');
      assertEqual(await deliveries.find(webhook.id, id), delivery, 'found');
      assertEqual(await deliveries.find(webhook.id, id, { for_update: true }), delivery, 'held for update');
      assertEqual(await deliveries.read(webhook.id + 1, id), null, 'read by another webhook');
      assertEqual(await deliveries.find(webhook.id + 1, id), null, 'found by another webhook');
      assertEqual(await deliveries.read(webhook.id, 999_999_999), null, 'unknown');
    });
  }),
  rule('an update writes the delivery and keeps its lease', async (here) => {
    const { webhook, ids } = await queued(here, 1);
    const [order] = await here.delivery_desk.claim(ids, now_ms, lease);
    const changed = newRound(order!.delivery, now_ms + 7);
    await here.unitOfWork.run(async ({ deliveries }) => {
      await deliveries.find(webhook.id, changed.id, { for_update: true });
      await deliveries.update(changed);
    });
    assertEqual(await deliveriesOf(here, webhook.id), [changed], 'the delivery');
    const again = { ...lease, token: 'two' };
    assertEqual(await here.delivery_desk.claim(ids, now_ms + 7, again), [], 'while it is leased');
    const over = { ...again, machine_ms: lease.until_machine_ms };
    assertEqual((await here.delivery_desk.claim(ids, now_ms + 7, over)).length, 1, 'after the lease');
  }),
  rule(
    'recover starts a new round of deliveries that failed at the instant or later, at most the limit',
    async (here) => {
      const { webhook, ids } = await queued(here, 3);
      const orders = await here.delivery_desk.claim(ids, now_ms, lease);
      await here.delivery_desk.record(orders.map((order) => lastFailureOf(order)));
      const failed = await deliveriesOf(here, webhook.id);
      assertEqual(
        failed.map(({ state }) => state),
        ['failed', 'failed', 'failed'],
        'failed',
      );
      const recover = (since_ms: number) =>
        here.unitOfWork.run((tx) => tx.deliveries.recover(webhook.id, since_ms, now_ms + 1, 2));
      assertEqual(await recover(now_ms + 1), 0, 'of a later instant');
      assertEqual(await recover(now_ms), 2, 'the first two');
      assertEqual(await recover(now_ms), 1, 'the last');
      assertEqual(await recover(now_ms), 0, 'none is left');
      const recovered = await deliveriesOf(here, webhook.id);
      assertEqual(
        recovered,
        failed.map((delivery) => newRound(delivery, now_ms + 1)),
        'recovered',
      );
      const claimed = await here.delivery_desk.claim(ids, now_ms + 1, { ...lease, token: 'again' });
      assertEqual(claimed.length, 3, 'claimed again');
    },
  ),
  rule(
    'recover compares the time of the failure, not of the event, and omits deliveries that succeeded',
    async (here) => {
      const { webhook, ids } = await queued(here, 2);
      const last_ms = now_ms + 108 * minute_ms;
      const [first, second] = await here.delivery_desk.claim(ids, last_ms, lease);
      await here.delivery_desk.record([lastFailureOf(first!, last_ms), resultOf(second!, success, last_ms)]);
      const recover = (since_ms: number) =>
        here.unitOfWork.run((tx) => tx.deliveries.recover(webhook.id, since_ms, last_ms, 10));
      assertEqual(await recover(last_ms + 1), 0, 'after the failure');
      assertEqual(await recover(last_ms), 1, 'at the failure');
      const rounds = (await deliveriesOf(here, webhook.id)).map(({ id, round, due_at_ms }) => ({
        id,
        round,
        due_at_ms,
      }));
      assertEqual(
        rounds,
        [
          { id: first!.delivery.id, round: 2, due_at_ms: last_ms },
          { id: second!.delivery.id, round: 1, due_at_ms: null },
        ],
        'rounds',
      );
    },
  ),
];
