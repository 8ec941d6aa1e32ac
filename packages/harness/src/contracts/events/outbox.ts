import { createWebhook, type NewDelivery, relayEvents, updateWebhook } from '@tallystick/events';
import { assert, Refusal } from '@tallystick/kernel';
import { assertEqual, refusalOf } from '../assertions.ts';
import { anotherOf, type ContractRule, rule } from '../rule.ts';
import { newCompany } from '../storage/storage.ts';
import {
  appendEvents,
  appendEventsIn,
  callOf,
  clear_sealer,
  deliveriesOf,
  lease,
  now_ms,
  register,
  relayAll,
  type WebhookStorage,
} from '../webhooks/webhook-storage.ts';

function newDelivery(webhook_id: number, company_id: number, event_id: number, sequence: number): NewDelivery {
  return {
    company_id,
    webhook_id,
    event_id,
    sequence,
    event_type: 'virtualcard.created',
    state: 'pending',
    attempts: 0,
    round: 1,
    round_started_at_ms: null,
    round_attempts: 0,
    due_at_ms: now_ms,
    created_at_ms: now_ms,
    finished_at_ms: null,
  };
}

export const outbox_contract: readonly ContractRule<WebhookStorage>[] = [
  rule('committed events are taken once, at most the limit, in ascending order of id', async (here) => {
    const there = await anotherOf(here);
    const company_id = await newCompany(here);
    await relayAll(here);
    const ids = await appendEvents(here, company_id, 5);
    const event = (id: number) => ({ id, company_id, event_type: 'virtualcard.created' });
    const take = (storage: WebhookStorage, limit: number) =>
      storage.unitOfWork.run(async (tx) => (await tx.outbox.take(limit)).events);
    assertEqual(await take(here, 3), ids.slice(0, 3).map(event), 'the first three');
    assertEqual(await take(there, 9), ids.slice(3).map(event), 'the rest');
    assertEqual(await take(here, 9), [], 'after the last');
  }),
  rule('events of a transaction that rolls back are never taken', async (here) => {
    const company_id = await newCompany(here);
    const { id } = await register(here, company_id);
    const rolled_back = here.unitOfWork.run(async (tx) => {
      await appendEventsIn(tx, company_id, 1);
      throw new Refusal('validation_failed', 'changed my mind');
    });
    await refusalOf(rolled_back, 'the transaction');
    await relayAll(here);
    assertEqual(await deliveriesOf(here, id), [], 'deliveries');
  }),
  rule('events that a rolled back transaction took are taken by the next', async (here) => {
    const there = await anotherOf(here);
    const company_id = await newCompany(here);
    await relayAll(here);
    const ids = await appendEvents(here, company_id, 2);
    for (const takes of ['take', 'takeAllOf'] as const) {
      const rolled_back = here.unitOfWork.run(async ({ outbox }) => {
        const taken = takes === 'take' ? (await outbox.take(9)).events : await outbox.takeAllOf(company_id);
        assertEqual(taken.length, 2, takes);
        throw new Refusal('validation_failed', 'changed my mind');
      });
      await refusalOf(rolled_back, takes);
    }
    const { events: taken } = await there.unitOfWork.run((tx) => tx.outbox.take(9));
    const taken_ids = taken.map(({ id }) => id);
    assertEqual(taken_ids, ids, 'taken in the end');
  }),
  rule('all events of one company are taken, and no others', async (here) => {
    const [own, other] = [await newCompany(here), await newCompany(here)];
    await relayAll(here);
    const ids: number[] = [];
    const others: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      ids.push(...(await appendEvents(here, own, 2)));
      others.push(...(await appendEvents(here, other, 1)));
    }
    const taken = await here.unitOfWork.run((tx) => tx.outbox.takeAllOf(own));
    assertEqual(
      taken,
      ids.map((id) => ({ id, company_id: own, event_type: 'virtualcard.created' })),
      'the events',
    );
    const { events: left } = await here.unitOfWork.run((tx) => tx.outbox.take(9));
    const left_ids = left.map(({ id }) => id);
    assertEqual(left_ids, others, 'what is left');
  }),
  rule(
    'active webhooks of the companies are read in ascending order of id, with the last sequence number of each',
    async (here) => {
      const [own, other, third] = [await newCompany(here), await newCompany(here), await newCompany(here)];
      const first = await register(here, own);
      await register(here, own, { event_type_ids: [2], status: 'inactive' });
      const second = await register(here, other);
      await register(here, third);
      await appendEvents(here, own, 3);
      await relayAll(here);
      const active = await here.unitOfWork.run((tx) => tx.outbox.activeWebhooks([other, own]));
      assertEqual(
        active,
        [
          { webhook: first, last_sequence: 3 },
          { webhook: second, last_sequence: 0 },
        ],
        'the webhooks',
      );
    },
  ),
  rule('enqueued deliveries are stored unchanged, and offered in the order of their ids', async (here) => {
    const company_id = await newCompany(here);
    const webhook = await register(here, company_id);
    const event_ids = await appendEvents(here, company_id, 2);
    const given = event_ids.map((event_id, place) => newDelivery(webhook.id, company_id, event_id, place + 1));
    const offers = await here.unitOfWork.run(async ({ outbox }) => {
      await outbox.takeAllOf(company_id);
      return await outbox.enqueue(given);
    });
    const stored = await deliveriesOf(here, webhook.id);
    assertEqual(
      stored,
      given.map((delivery, place) => ({ ...delivery, id: stored[place]!.id })),
      'the deliveries',
    );
    assertEqual(
      offers,
      stored.map(({ id }) => ({ delivery_id: id, webhook_id: webhook.id })),
      'the offers',
    );
  }),
  rule(
    'deliveries can be claimed in the transaction that enqueues them, and a rollback leaves nothing',
    async (here) => {
      const company_id = await newCompany(here);
      const webhook = await register(here, company_id);
      await appendEvents(here, company_id, 3);
      const makeClaimed = (fails: boolean) =>
        here.unitOfWork.run(async (tx) => {
          const { offers } = await relayEvents(tx, now_ms, 10);
          const mine = offers.slice(0, 2).map(({ delivery_id }) => delivery_id);
          const orders = await tx.outbox.claim(mine, now_ms, lease);
          if (fails) throw new Error('rolled back');
          return orders;
        });
      await makeClaimed(true).catch(() => undefined);
      assertEqual(await deliveriesOf(here, webhook.id), [], 'after the rollback');
      const orders = await makeClaimed(false);
      const stored = await deliveriesOf(here, webhook.id);
      assertEqual(
        orders.map(({ delivery, lease: token }) => ({ delivery, token })),
        stored.slice(0, 2).map((delivery) => ({ delivery, token: lease.token })),
        'the work orders',
      );
      const ids = stored.map(({ id }) => id);
      const claimed = await here.delivery_desk.claim(ids, now_ms, { ...lease, token: 'another' });
      assertEqual(
        claimed.map(({ delivery }) => delivery.id),
        ids.slice(2),
        'what another process can claim',
      );
    },
  ),
  rule('two concurrent relays make one delivery per event, numbered without a gap', async (here) => {
    const there = await anotherOf(here);
    const company_id = await newCompany(here);
    const { id } = await register(here, company_id);
    for (let round = 0; round < 5; round += 1) await appendEvents(here, company_id, 12);
    const relays = [here, there, here, there].map((storage) => relayAll(storage, 7));
    const offers = (await Promise.all(relays)).flat();
    assertEqual(offers.filter(({ webhook_id }) => webhook_id === id).length, 60, 'offers');
    const deliveries = await deliveriesOf(here, id);
    assertEqual(new Set(deliveries.map(({ event_id }) => event_id)).size, 60, 'events with a delivery');
    const sequences = deliveries.map(({ sequence }) => sequence).toSorted((a, b) => a - b);
    assertEqual(
      sequences,
      Array.from({ length: 60 }, (_, place) => place + 1),
      'sequence numbers',
    );
  }),
  rule('a change of a webhook loses no earlier event, and a new webhook gets no earlier event', async (here) => {
    const there = await anotherOf(here);
    const company_id = await newCompany(here);
    const call = callOf(company_id);
    const parts = {
      url_policy: () => null,
      sealer: clear_sealer,
      random: { below: () => 0, bytes: (count: number) => new Uint8Array(count) },
    };
    await appendEvents(here, company_id, 3);
    const request = { callback_url: 'https://hooks.example/', event_type_ids: [1] };
    const { webhook } = await here.unitOfWork.run((tx) => createWebhook(tx, parts, call, request));
    await appendEvents(here, company_id, 40);
    const paused = here.unitOfWork.run((tx) => updateWebhook(tx, parts, call, webhook.id, { status: 'inactive' }));
    await Promise.all([paused, relayAll(there, 7)]);
    await appendEvents(here, company_id, 5);
    await relayAll(here);
    assertEqual((await deliveriesOf(here, webhook.id)).length, 40, 'deliveries');
  }),
  rule('an event makes no delivery for an inactive webhook, for another type or for another company', async (here) => {
    const [own, other] = [await newCompany(here), await newCompany(here)];
    const inactive = await register(here, own, { status: 'inactive', event_type_ids: [1] });
    const clearings = await register(here, own, { event_type_ids: [7] });
    const foreign = await register(here, other);
    await appendEvents(here, own, 3);
    await relayAll(here);
    for (const { id } of [inactive, clearings, foreign])
      assertEqual(await deliveriesOf(here, id), [], `deliveries of webhook ${id}`);
  }),
  rule('a backlog of a thousand events is taken and enqueued in one transaction', async (here) => {
    const company_id = await newCompany(here);
    const webhook = await register(here, company_id);
    await appendEvents(here, company_id, 1_000);
    const offers = await relayAll(here, 1_000);
    assertEqual(offers.filter(({ webhook_id }) => webhook_id === webhook.id).length, 1_000, 'offers');
    const deliveries = await deliveriesOf(here, webhook.id);
    assert(deliveries.length === 100, `${deliveries.length} deliveries on the first page`);
    assert(
      deliveries.every(({ state }) => state === 'pending'),
      'a delivery is not pending',
    );
  }),
];
