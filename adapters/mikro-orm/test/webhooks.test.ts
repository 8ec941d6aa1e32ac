import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import {
  afterAttempt,
  createWebhook,
  type Delivery,
  type NewDelivery,
  readDelivery,
  relayEvents,
  retryDelivery,
  updateWebhook,
  type Webhook,
  type WebhookAnswer,
} from '@tallystick/events';
import { fixedClock, Refusal } from '@tallystick/kernel';
import { type DatabaseName, database_names, scratchDatabase } from '@tallystick/test-support';
import { mikroOrmPersistence, type Persistence } from '../src/index.ts';

const now_ms = Date.UTC(2026, 0, 15, 12);
const minute_ms = 60_000;
const lease = { token: 'one', machine_ms: now_ms, until_machine_ms: now_ms + 30_000 };
const ok: WebhookAnswer = { kind: 'answered', status: 204, excerpt: '', retry_after: null, duration_ms: 3 };
const failed: WebhookAnswer = { kind: 'unanswered', error: 'timeout', detail: 'late', duration_ms: 3 };

for (const name of database_names) describe(`webhooks on ${name}`, () => rules(name));

function rules(name: DatabaseName): void {
  const closing: (() => Promise<void>)[] = [];
  after(async () => {
    for (const close of closing.reverse()) await close();
  });
  const shared = open();

  async function open(): Promise<readonly [Persistence, Persistence]> {
    const database = await scratchDatabase(name);
    closing.push(() => database.dispose());
    const options = { database_url: database.database_url, clock: fixedClock('2026-01-15T12:00:00Z') };
    const both = [await mikroOrmPersistence(options), await mikroOrmPersistence(options)] as const;
    for (const one of both) closing.push(() => one.close());
    await both[0].migrate();
    return both;
  }

  let companies = 0;
  /** A company of the test's own, by the database's own count. */
  async function company(persistence: Persistence): Promise<number> {
    companies += 1;
    const { id } = await persistence.unitOfWork.run((tx) =>
      tx.companies.insert({ name: `Company ${companies}`, customer_number: '1', created_at_ms: now_ms } as never),
    );
    return id;
  }

  function webhookOf(company_id: number, change: Partial<Webhook> = {}): Omit<Webhook, 'id'> {
    return {
      company_id,
      callback_url: 'https://hooks.example/',
      event_type_ids: [1],
      status: 'active',
      secret_sealed: new Uint8Array([1, 2, 3]),
      previous_secret_sealed: null,
      previous_secret_until_ms: null,
      created_at_ms: now_ms,
      ...change,
    };
  }

  function register(persistence: Persistence, company_id: number, change: Partial<Webhook> = {}): Promise<Webhook> {
    return persistence.unitOfWork.run((tx) => tx.webhooks.insert(webhookOf(company_id, change)));
  }

  async function happen(persistence: Persistence, company_id: number, count: number): Promise<void> {
    await persistence.unitOfWork.run(async (tx) => {
      await tx.events.append(
        Array.from({ length: count }, (_, place) => ({
          company_id,
          event_type: 'virtualcard.created',
          payload: { id: place },
          previous: null,
          created_at_ms: now_ms,
          request_id: null,
        })),
      );
    });
  }

  /** Relays until the outbox is empty; the offers made. */
  async function relayAll(persistence: Persistence, limit = 100) {
    const offers = [];
    for (;;) {
      const relayed = await persistence.unitOfWork.run((tx) => relayEvents(tx, now_ms, limit));
      offers.push(...relayed.offers);
      if (relayed.events === 0) return offers;
    }
  }

  async function deliveriesOf(persistence: Persistence, webhook_id: number): Promise<readonly Delivery[]> {
    const page = await persistence.unitOfWork.read((tx) => tx.deliveries.list(webhook_id, {}, { limit: 100 }));
    return page.items.map(({ delivery }) => delivery).toReversed();
  }

  test('an event type stands on one webhook of a company: 6 and 10 are one, another company is free', async () => {
    const [persistence] = await shared;
    const [one, other] = [await company(persistence), await company(persistence)];
    const first = await register(persistence, one, { event_type_ids: [6, 2] });
    await assert.rejects(register(persistence, one, { event_type_ids: [10] }), (error) => {
      assert.ok(error instanceof Refusal);
      assert.match(error.message, new RegExp(`webhook ${first.id}`));
      return true;
    });
    await register(persistence, other, { event_type_ids: [10] });
    await persistence.unitOfWork.run((tx) => tx.webhooks.update({ ...first, event_type_ids: [7] }));
    await register(persistence, one, { event_type_ids: [10] });
    assert.deepEqual((await persistence.unitOfWork.read((tx) => tx.webhooks.find(one, first.id)))?.event_type_ids, [7]);
    assert.equal(await persistence.unitOfWork.read((tx) => tx.webhooks.find(other, first.id)), null);
  });

  test('of many that race for one type exactly one gets it', async () => {
    const both = await shared;
    const company_id = await company(both[0]);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 16 }, (_, place) =>
        register(both[place % 2]!, company_id, { event_type_ids: place % 3 === 0 ? [6, 7] : [7, 10] }),
      ),
    );
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') assert.ok(outcome.reason instanceof Refusal, String(outcome.reason));
  });

  /** Of each change whether it was made or refused, and the types that the webhooks have afterwards. All begin at once. */
  async function changeTypesAtOnce(before: readonly number[][], wanted: readonly number[][]) {
    const both = await shared;
    const company_id = await company(both[0]);
    const webhooks: Webhook[] = [];
    for (const event_type_ids of before) webhooks.push(await register(both[0], company_id, { event_type_ids }));
    const call = { company_id, actor: 'key:1', request_id: null, now_ms };
    let runs = 0;
    const outcomes = await Promise.allSettled(
      webhooks.map(({ id }, place) =>
        both[place % 2]!.unitOfWork.run((tx) => {
          runs += 1;
          return updateWebhook(tx, call, id, { event_type_ids: wanted[place]! });
        }),
      ),
    );
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') assert.ok(outcome.reason instanceof Refusal, String(outcome.reason));
    const { items } = await both[0].unitOfWork.read((tx) => tx.webhooks.list(company_id, { limit: 100 }));
    const after = items.toReversed().map(({ event_type_ids }) => event_type_ids);
    const made = outcomes.map(({ status }) => status === 'fulfilled');
    assert.deepEqual(
      after,
      made.map((is_made, place) => (is_made ? wanted : before)[place]),
      'what was answered is what stands',
    );
    return { made, runs };
  }

  test('two webhooks that exchange their types at once are both refused, as they are one after the other', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { made, runs } = await changeTypesAtOnce([[2], [3]], [[3], [2]]);
      assert.deepEqual(made, [false, false]);
      assert.equal(runs, 2, 'neither waits for the other in a ring, which the database would break');
    }
  });

  test('types that are handed on at once go as they do one after the other', async () => {
    for (let round = 0; round < 10; round += 1) {
      // Each wants what the one before gives up: the second may be refused, and then the third is, too.
      const { made, runs } = await changeTypesAtOnce([[2, 3], [4, 5], [7]], [[11], [3, 2], [5]]);
      assert.equal(runs, 3);
      const [first, second, third] = made;
      assert.ok(first && (second || !third), `${made}`);
    }
  });

  test('of webhooks that are deleted while others take their types each gets them or is told who has them', async () => {
    const both = await shared;
    for (let round = 0; round < 10; round += 1) {
      const company_id = await company(both[0]);
      const webhook = await register(both[0], company_id, { event_type_ids: [2] });
      const [deleted, ...taken] = await Promise.allSettled([
        both[1].unitOfWork.run((tx) => tx.webhooks.delete(company_id, webhook.id)),
        ...Array.from({ length: 3 }, (_, place) => register(both[place % 2]!, company_id, { event_type_ids: [2] })),
      ]);
      assert.deepEqual(deleted, { status: 'fulfilled', value: true });
      const { items } = await both[0].unitOfWork.read((tx) => tx.webhooks.list(company_id, { limit: 100 }));
      assert.equal(items.length, taken.filter(({ status }) => status === 'fulfilled').length);
      assert.ok(items.length <= 1);
      const owners = new Set([webhook.id, ...items.map(({ id }) => id)]);
      for (const outcome of taken) {
        if (outcome.status === 'fulfilled') continue;
        assert.ok(outcome.reason instanceof Refusal, String(outcome.reason));
        assert.ok(owners.has(Number(/webhook (\d+)/.exec(outcome.reason.message)?.[1])), outcome.reason.message);
      }
    }
  });

  test('what rolls back is never relayed', async () => {
    const [persistence] = await shared;
    const company_id = await company(persistence);
    const { id } = await register(persistence, company_id);
    await assert.rejects(
      persistence.unitOfWork.run(async (tx) => {
        await tx.events.append([
          {
            company_id,
            event_type: 'virtualcard.created',
            payload: {},
            previous: null,
            created_at_ms: now_ms,
            request_id: null,
          },
        ]);
        throw new Refusal('validation_failed', 'on second thought');
      }),
    );
    await relayAll(persistence);
    assert.equal((await deliveriesOf(persistence, id)).length, 0);
  });

  test('two relays at once make one delivery per event, numbered without a gap', async () => {
    const both = await shared;
    const company_id = await company(both[0]);
    const { id } = await register(both[0], company_id);
    for (let round = 0; round < 5; round += 1) await happen(both[0], company_id, 12);
    const offers = (
      await Promise.all([relayAll(both[0], 7), relayAll(both[1], 7), relayAll(both[0], 7), relayAll(both[1], 7)])
    ).flat();
    assert.equal(offers.filter(({ webhook_id }) => webhook_id === id).length, 60);
    const deliveries = await deliveriesOf(both[0], id);
    assert.equal(new Set(deliveries.map(({ event_id }) => event_id)).size, 60);
    assert.deepEqual(
      deliveries.map(({ sequence }) => sequence).toSorted((a, b) => a - b),
      Array.from({ length: 60 }, (_, place) => place + 1),
    );
  });

  test('a change of a webhook finds every event that happened before it on its way, and none that happened before it was there', async () => {
    const both = await shared;
    const company_id = await company(both[0]);
    const call = { company_id, actor: 'command', request_id: null, now_ms };
    const policy = { callback_url_policy: () => null };
    const parts = {
      ...policy,
      sealer: {
        seal: (_: string, clear: Uint8Array) => clear,
        open: (_: string, sealed: Uint8Array) => sealed,
        isCurrent: () => true,
      },
      random: { below: () => 0, bytes: (count: number) => new Uint8Array(count) },
    };
    await happen(both[0], company_id, 3);
    const { webhook } = await both[0].unitOfWork.run((tx) =>
      createWebhook(tx, parts, call, { callback_url: 'https://hooks.example/', event_type_ids: [1] }),
    );
    await happen(both[0], company_id, 40);
    const paused = both[0].unitOfWork.run((tx) => updateWebhook(tx, call, webhook.id, { status: 'inactive' }));
    await Promise.all([paused, relayAll(both[1], 7)]);
    await happen(both[0], company_id, 5);
    await relayAll(both[0]);
    assert.equal((await deliveriesOf(both[0], webhook.id)).length, 40);
  });

  test('nothing is made for an inactive webhook, for another type or for another company', async () => {
    const [persistence] = await shared;
    const [one, other] = [await company(persistence), await company(persistence)];
    const inactive = await register(persistence, one, { status: 'inactive', event_type_ids: [2] });
    const clearings = await register(persistence, one, { event_type_ids: [7] });
    const foreign = await register(persistence, other);
    await happen(persistence, one, 3);
    await relayAll(persistence);
    for (const { id } of [inactive, clearings, foreign]) assert.equal((await deliveriesOf(persistence, id)).length, 0);
  });

  async function queued(persistence: Persistence, count: number): Promise<{ webhook: Webhook; ids: number[] }> {
    const company_id = await company(persistence);
    const webhook = await register(persistence, company_id);
    await happen(persistence, company_id, count);
    await relayAll(persistence);
    return { webhook, ids: (await deliveriesOf(persistence, webhook.id)).map(({ id }) => id) };
  }

  test('racing workers claim each delivery once', async () => {
    const both = await shared;
    const { ids } = await queued(both[0], 40);
    const claims = await Promise.all(
      Array.from({ length: 8 }, (_, place) =>
        both[place % 2]!.delivery_desk.claim(ids, now_ms, { ...lease, token: `worker ${place}` }),
      ),
    );
    const claimed = claims.flat().map(({ delivery }) => delivery.id);
    assert.equal(claimed.length, 40);
    assert.equal(new Set(claimed).size, 40);
  });

  test('a claim gives the event and the webhook, a record ends it, and a lost lease records nothing', async () => {
    const [persistence] = await shared;
    const { webhook, ids } = await queued(persistence, 2);
    const desk = persistence.delivery_desk;
    const orders = await desk.claim(ids, now_ms, lease);
    assert.equal(orders.length, 2);
    assert.deepEqual(orders[0]!.webhook, webhook);
    assert.equal(orders[0]!.event.event_type, 'virtualcard.created');
    const results = orders.map((order) => ({ ...afterAttempt(order.delivery, ok, now_ms), lease: order.lease }));
    await desk.record([results[0]!, { ...results[1]!, lease: 'another' }]);
    const page = await persistence.unitOfWork.read((tx) => tx.deliveries.list(webhook.id, {}, { limit: 10 }));
    const states = page.items.map(({ delivery, attempts }) => [delivery.id, delivery.state, attempts.length] as const);
    assert.deepEqual(
      states.toSorted((a, b) => a[0] - b[0]),
      [
        [ids[0], 'succeeded', 1],
        [ids[1], 'pending', 0],
      ],
    );
  });

  test('what is due is offered, the oldest of each webhook first; what is leased, later or inactive is not', async () => {
    const [persistence] = await shared;
    const desk = persistence.delivery_desk;
    const { webhook, ids } = await queued(persistence, 5);
    const mine = async (at_ms = now_ms, machine_ms = now_ms, per_webhook = 100) =>
      (await desk.due(at_ms, machine_ms, { per_webhook, limit: 100_000, passed_over: [] }))
        .filter(({ webhook_id }) => webhook_id === webhook.id)
        .map(({ delivery_id }) => delivery_id);
    assert.deepEqual(
      (await mine(now_ms, now_ms, 2)).toSorted((a, b) => a - b),
      ids.slice(0, 2),
    );
    const others = await desk.due(now_ms, now_ms, { per_webhook: 9, limit: 100_000, passed_over: [webhook.id] });
    assert.equal(
      others.some(({ webhook_id }) => webhook_id === webhook.id),
      false,
    );
    const [order] = await desk.claim([ids[0]!], now_ms, lease);
    assert.deepEqual(
      (await mine()).toSorted((a, b) => a - b),
      ids.slice(1),
    );
    assert.equal((await mine(now_ms, lease.until_machine_ms)).length, 5, 'a lease that ran out');
    await desk.record([{ ...afterAttempt(order!.delivery, failed, now_ms), lease: order!.lease }]);
    assert.equal((await mine(now_ms + 10 * minute_ms - 1)).length, 4);
    assert.equal((await mine(now_ms + 10 * minute_ms)).length, 5);
    await persistence.unitOfWork.run((tx) => tx.webhooks.update({ ...webhook, status: 'inactive' }));
    assert.equal((await mine(now_ms + 10 * minute_ms)).length, 0);
    assert.equal((await desk.claim(ids, now_ms + 10 * minute_ms, lease)).length, 0);
  });

  test('the workload counts what waits and what is in flight, of active webhooks and due by now', async () => {
    const [persistence] = await shared;
    const desk = persistence.delivery_desk;
    const before = await desk.workload(now_ms, now_ms);
    const more = async (at_ms = now_ms, machine_ms = now_ms) => {
      const { waiting, in_flight } = await desk.workload(at_ms, machine_ms);
      return [waiting - before.waiting, in_flight - before.in_flight];
    };
    const { webhook, ids } = await queued(persistence, 3);
    assert.deepEqual(await more(), [3, 0]);
    const [first, second] = await desk.claim(ids.slice(1), now_ms, lease);
    assert.deepEqual(await more(), [1, 2]);
    await desk.record([
      { ...afterAttempt(first!.delivery, failed, now_ms), lease: lease.token },
      { ...afterAttempt(second!.delivery, ok, now_ms), lease: lease.token },
    ]);
    assert.deepEqual(await more(), [1, 0], 'one is due later, one is done');
    await desk.claim(ids, now_ms, lease);
    assert.deepEqual(await more(), [0, 1]);
    await persistence.unitOfWork.run((tx) => tx.webhooks.update({ ...webhook, status: 'inactive' }));
    assert.deepEqual(await more(), [0, 0]);
  });

  test('an event stays work to be done until the relay that took it has committed its deliveries', async () => {
    const [here, there] = await shared;
    const company_id = await company(here);
    await register(here, company_id);
    await relayAll(here);
    const before = await here.delivery_desk.workload(now_ms, now_ms);
    await happen(here, company_id, 2);
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
    assert.deepEqual(during, { ...before, unrelayed: 2 });
    assert.deepEqual(await here.delivery_desk.workload(now_ms, now_ms), { ...before, waiting: before.waiting + 2 });
  });

  test('a lease that ran out is in flight no more', async () => {
    const [persistence] = await shared;
    const desk = persistence.delivery_desk;
    const { ids } = await queued(persistence, 1);
    const before = await desk.workload(now_ms, lease.until_machine_ms - 1);
    await desk.claim(ids, now_ms, lease);
    const held = await desk.workload(now_ms, lease.until_machine_ms - 1);
    const over = await desk.workload(now_ms, lease.until_machine_ms);
    assert.deepEqual(held, { ...before, waiting: before.waiting - 1, in_flight: before.in_flight + 1 });
    assert.equal(over.waiting + over.in_flight, before.waiting + before.in_flight);
    assert.equal(over.in_flight, 0);
  });

  test('a failed delivery is recovered from an instant on, and deleting the webhook drops everything of it', async () => {
    const [persistence] = await shared;
    const { webhook, ids } = await queued(persistence, 3);
    const { unitOfWork, delivery_desk: desk } = persistence;
    const orders = await desk.claim(ids, now_ms, lease);
    await desk.record(
      orders.map((order) => ({
        ...afterAttempt({ ...order.delivery, round_attempts: 4, round_started_at_ms: now_ms }, failed, now_ms),
        lease: order.lease,
      })),
    );
    const recover = (since_ms: number) =>
      unitOfWork.run((tx) => tx.deliveries.recover(webhook.id, since_ms, now_ms + 1, 2));
    assert.equal(await recover(now_ms + 1), 0);
    assert.equal(await recover(now_ms), 2);
    assert.equal(await recover(now_ms), 1);
    assert.equal((await desk.claim(ids, now_ms + 1, { ...lease, token: 'again' })).length, 3);
    assert.equal(await unitOfWork.run((tx) => tx.webhooks.delete(webhook.company_id, webhook.id)), true);
    assert.equal(await unitOfWork.run((tx) => tx.webhooks.delete(webhook.company_id, webhook.id)), false);
    assert.equal((await deliveriesOf(persistence, webhook.id)).length, 0);
    await register(persistence, webhook.company_id);
  });

  test('recover counts from when a delivery failed, not from when its event happened', async () => {
    const [persistence] = await shared;
    const { webhook, ids } = await queued(persistence, 1);
    const { unitOfWork, delivery_desk: desk } = persistence;
    const last_ms = now_ms + 108 * minute_ms;
    const [order] = await desk.claim(ids, last_ms, lease);
    const fifth = { ...order!.delivery, round_attempts: 4, round_started_at_ms: now_ms };
    await desk.record([{ ...afterAttempt(fifth, failed, last_ms), lease: order!.lease }]);
    const recover = (since_ms: number) =>
      unitOfWork.run((tx) => tx.deliveries.recover(webhook.id, since_ms, last_ms, 10));
    assert.equal(await recover(last_ms + 1), 0);
    assert.equal(await recover(last_ms), 1);
    const [{ round, due_at_ms }] = (await deliveriesOf(persistence, webhook.id)) as [Delivery];
    assert.deepEqual([round, due_at_ms], [2, last_ms]);
  });

  test('an answer with a NUL is recorded, and the others of its batch with it', async () => {
    const [persistence] = await shared;
    const { webhook, ids } = await queued(persistence, 2);
    const orders = await persistence.delivery_desk.claim(ids, now_ms, lease);
    const answers: WebhookAnswer[] = [
      { kind: 'answered', status: 200, excerpt: '\0', retry_after: null, duration_ms: 3 },
      ok,
    ];
    await persistence.delivery_desk.record(
      orders.map((order, place) => ({ ...afterAttempt(order.delivery, answers[place]!, now_ms), lease: order.lease })),
    );
    const states = (await deliveriesOf(persistence, webhook.id)).map(({ state }) => state);
    assert.deepEqual(states, ['succeeded', 'succeeded']);
  });

  test('of two results of one delivery in a batch only the one whose lease it bears counts', async () => {
    const [persistence] = await shared;
    const { webhook, ids } = await queued(persistence, 1);
    const { unitOfWork, delivery_desk: desk } = persistence;
    const [first] = await desk.claim(ids, now_ms, lease);
    const later = {
      token: 'two',
      machine_ms: lease.until_machine_ms,
      until_machine_ms: lease.until_machine_ms + 30_000,
    };
    const [second] = await desk.claim(ids, now_ms, later);
    await desk.record([
      { ...afterAttempt(first!.delivery, failed, now_ms), lease: first!.lease },
      { ...afterAttempt(second!.delivery, ok, now_ms), lease: second!.lease },
    ]);
    const { items } = await unitOfWork.read((tx) => tx.deliveries.list(webhook.id, {}, { limit: 10 }));
    assert.deepEqual(
      items.map(({ delivery, attempts }) => [delivery.state, attempts.map(({ status }) => status)]),
      [['succeeded', [204]]],
    );
  });

  const gone: WebhookAnswer = { kind: 'answered', status: 410, excerpt: '', retry_after: null, duration_ms: 3 };

  test('a retry while an attempt is in flight stands, whatever comes of the attempt, and that is recorded', async () => {
    const [persistence] = await shared;
    const { webhook, ids } = await queued(persistence, 3);
    const { unitOfWork, delivery_desk: desk } = persistence;
    const call = { company_id: webhook.company_id, actor: 'key:1', request_id: null, now_ms: now_ms + 5 };
    const answers = new Map([ok, failed, gone].map((answer, place) => [ids[place]!, answer]));
    const orders = await desk.claim(ids, now_ms, lease);
    for (const id of ids) await unitOfWork.run((tx) => retryDelivery(tx, call, webhook.id, id));
    const again = { ...lease, token: 'again' };
    assert.deepEqual(await desk.claim(ids, call.now_ms, again), [], 'it is in flight: nobody else sends it');
    const outcome = (order: (typeof orders)[number], answer: WebhookAnswer, at_ms: number) => ({
      ...afterAttempt(order.delivery, answer, at_ms),
      lease: order.lease,
    });
    await desk.record(orders.map((order) => outcome(order, answers.get(order.delivery.id)!, now_ms)));
    const told = async (id: number) => {
      const { delivery, attempts } = await unitOfWork.read((tx) => readDelivery(tx, call, webhook.id, id));
      const { state, attempts: count, round_attempts, due_at_ms } = delivery;
      return {
        state,
        count,
        round_attempts,
        due_at_ms,
        attempts: attempts.map(({ number, status }) => [number, status]),
      };
    };
    const begun = { state: 'pending', count: 1, round_attempts: 0, due_at_ms: call.now_ms };
    assert.deepEqual(await told(ids[0]!), { ...begun, attempts: [[1, 204]] });
    assert.deepEqual(await told(ids[1]!), { ...begun, attempts: [[1, null]] });
    assert.deepEqual(await told(ids[2]!), { ...begun, attempts: [[1, 410]] });

    const [second] = await desk.claim([ids[2]!], call.now_ms, again);
    await desk.record([outcome(second!, ok, call.now_ms)]);
    const attempts = [
      [1, 410],
      [2, 204],
    ];
    const ended = { state: 'succeeded', count: 2, round_attempts: 1, due_at_ms: null };
    assert.deepEqual(await told(ids[2]!), { ...ended, attempts });
  });

  test('of a retry and a record that race neither is lost', async () => {
    const both = await shared;
    const { webhook, ids } = await queued(both[0], 12);
    const call = { company_id: webhook.company_id, actor: 'key:1', request_id: null, now_ms };
    const orders = await both[0].delivery_desk.claim(ids, now_ms, lease);
    assert.equal(orders.length, 12);
    await Promise.all(
      orders.flatMap((order) => [
        both[0].delivery_desk.record([{ ...afterAttempt(order.delivery, ok, now_ms), lease: order.lease }]),
        both[1].unitOfWork.run((tx) => retryDelivery(tx, call, webhook.id, order.delivery.id)),
      ]),
    );
    const { items } = await both[0].unitOfWork.read((tx) => tx.deliveries.list(webhook.id, {}, { limit: 100 }));
    for (const { delivery, attempts } of items) {
      assert.deepEqual([delivery.state, delivery.attempts, delivery.round, attempts.length], ['pending', 1, 2, 1]);
    }
    assert.equal((await both[1].delivery_desk.claim(ids, now_ms, { ...lease, token: 'again' })).length, 12);
  });

  test('attempts and finished deliveries are purged by age; what is pending stays', async () => {
    const [persistence] = await shared;
    const { webhook, ids } = await queued(persistence, 2);
    const { unitOfWork, delivery_desk: desk } = persistence;
    const [first, second] = await desk.claim(ids, now_ms, lease);
    await desk.record([
      { ...afterAttempt(first!.delivery, ok, now_ms), lease: first!.lease },
      { ...afterAttempt(second!.delivery, failed, now_ms), lease: second!.lease },
    ]);
    let purged = 0;
    for (let more = 1; more > 0; purged += more)
      more = await unitOfWork.run((tx) => tx.deliveries.purge(now_ms + 1, 50));
    assert.ok(purged >= 3);
    const page = await unitOfWork.read((tx) => tx.deliveries.list(webhook.id, {}, { limit: 10 }));
    assert.deepEqual(
      page.items.map(({ delivery, attempts }) => [delivery.state, attempts.length]),
      [['pending', 0]],
    );
  });

  test('a long backlog of many webhooks is enqueued in one statement', async () => {
    const [persistence] = await shared;
    const company_id = await company(persistence);
    const webhook = await register(persistence, company_id);
    await happen(persistence, company_id, 1_000);
    const offers = await relayAll(persistence, 1_000);
    assert.ok(offers.filter(({ webhook_id }) => webhook_id === webhook.id).length === 1_000);
    const typed: NewDelivery['state'] = 'pending';
    assert.ok((await deliveriesOf(persistence, webhook.id)).every(({ state }) => state === typed));
  });
}
