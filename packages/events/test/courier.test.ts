import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Clock, Fault, Violation } from '@tallystick/kernel';
import { memoryDeliveryQueue } from '@tallystick/memory';
import { verifyDelivery } from '@tallystick/webhook-signature';
import { attempt_offsets_ms, createCourier } from '../src/index.ts';
import { failed, HeldSender, hmac, ok, random, sealer, secret, setUp, start_ms, turn } from './courier-world.ts';

test('a due delivery is sent once, signed, with its sequence number, and recorded as succeeded', async () => {
  const { webhook, deliveries, courier, sender, desk } = setUp();
  const { callback_url } = webhook(1);
  const [delivery] = deliveries(1, 1);
  sender.rule = () => ok;
  await courier.start();
  await courier.sweep();
  await courier.settled();
  await courier.sweep();
  await courier.settled();
  assert.equal(sender.sent.length, 1);
  const { headers, body } = sender.sent[0]!;
  assert.equal(headers['x-webhook-sequence'], '1');
  assert.equal(headers['webhook-id'], String(delivery!.id));
  const now_s = start_ms / 1_000;
  const verification = await verifyDelivery({ headers, body }, { secrets: secret, callback_url, now_s });
  assert.deepEqual(verification, { verified: true, timestamp: now_s, secret_index: 0 });
  assert.equal(desk.tables.deliveries.get(delivery!.id)?.state, 'succeeded');
});

test('the body has the same bytes at every attempt and the schedule is exact to the millisecond', async () => {
  const { webhook, deliveries, courier, sender, desk, moveTo } = setUp();
  webhook(1);
  deliveries(1, 1);
  sender.rule = () => failed;
  await courier.start();
  for (const offset_ms of attempt_offsets_ms) {
    moveTo(start_ms + offset_ms - 1);
    await courier.sweep();
    await courier.settled();
    const before = desk.tables.delivery_attempts.size;
    moveTo(start_ms + offset_ms);
    await courier.sweep();
    await courier.settled();
    assert.equal(desk.tables.delivery_attempts.size, before + 1);
  }
  moveTo(start_ms + 10 * attempt_offsets_ms.at(-1)!);
  await courier.sweep();
  await courier.settled();
  assert.deepEqual(
    desk.tables.delivery_attempts.values().map((attempt) => attempt.at_ms - start_ms),
    attempt_offsets_ms,
  );
  assert.equal(new Set(sender.sent.map(({ body }) => body)).size, 1);
  assert.equal(desk.tables.deliveries.values()[0]?.state, 'failed');
});

test('an endpoint that hangs delays only its own lane', async () => {
  const { webhook, deliveries, courier, sender } = setUp({ in_flight_per_webhook_max: 4, in_flight_max: 64 });
  const hanging = webhook(1).callback_url;
  const live = webhook(2).callback_url;
  deliveries(1, 50);
  deliveries(2, 50);
  await courier.start();
  await courier.sweep();
  await turn();
  assert.equal(sender.inFlightTo(hanging), 4);
  for (let answered = 0; sender.inFlightTo(live) < 50 || answered < 50; ) {
    const waiting = sender.sent.filter((request) => request.callback_url === live).slice(answered);
    assert.ok(waiting.length > 0 && waiting.length <= 4);
    for (const request of waiting) request.answer(ok);
    answered += waiting.length;
    await turn();
  }
  assert.equal(sender.inFlightTo(hanging), 4);
});

test('an endpoint that keeps failing is limited to one request in flight until it succeeds', async () => {
  const { webhook, deliveries, courier, sender } = setUp({ in_flight_per_webhook_max: 4, failures_until_slow: 4 });
  webhook(1);
  deliveries(1, 20);
  await courier.start();
  await courier.sweep();
  await turn();
  assert.equal(sender.sent.length, 4);
  for (const request of sender.sent) request.answer(failed);
  await turn();
  await turn();
  assert.equal(sender.sent.length, 5);
  sender.sent[4]!.answer(ok);
  await turn();
  await turn();
  assert.equal(sender.sent.length, 9);
});

test('webhooks that keep failing share a quarter of the requests in flight, and the others have the rest', async () => {
  const { webhook, deliveries, courier, sender } = setUp({
    in_flight_max: 8,
    in_flight_per_webhook_max: 1,
    failures_until_slow: 1,
  });
  const dead = Array.from({ length: 20 }, (_, place) => webhook(place + 1).callback_url);
  const live = webhook(100).callback_url;
  for (let id = 1; id <= 20; id += 1) deliveries(id, 2);
  await courier.start();
  await courier.sweep();
  // Each lane fails once and then hangs.
  const failed_once = new Set<string>();
  while (failed_once.size < 20) {
    for (const request of sender.sent.filter(({ callback_url }) => !failed_once.has(callback_url))) {
      failed_once.add(request.callback_url);
      request.answer(failed);
    }
    await turn();
    await turn();
  }
  const hanging = () => dead.reduce((sum, url) => sum + sender.inFlightTo(url), 0) - 20;
  assert.equal(hanging(), 2);
  deliveries(100, 30);
  await courier.sweep();
  for (let answered = 0; answered < 30; answered += 1) {
    await turn();
    await turn();
    sender.sent.filter((request) => request.callback_url === live)[answered]!.answer(ok);
  }
  await turn();
  assert.equal(hanging(), 2);
});

test('two couriers never send one delivery at the same time, and another takes over when the lease of a dead one expires', async () => {
  const one = setUp();
  one.webhook(1);
  one.deliveries(1, 10);
  const sender = new HeldSender();
  let now_ms = start_ms;
  const clock: Clock = { nowMs: () => now_ms };
  const other = createCourier({
    desk: one.desk,
    queue: memoryDeliveryQueue(),
    sender,
    sealer,
    hmac,
    random,
    clock,
    machine_clock: clock,
    pause: turn,
    observer: { attempted: () => {}, faulted: () => {} },
  });
  await one.courier.start();
  await other.start();
  await Promise.all([one.courier.sweep(), other.sweep()]);
  await turn();
  const before = [...one.sender.sent, ...sender.sent].map(({ headers }) => headers['webhook-id']);
  assert.equal(new Set(before).size, before.length);
  const held = one.sender.sent.length;
  assert.ok(held > 0);
  now_ms += 30_001; // the first courier never answers: its process is dead
  sender.rule = () => ok;
  for (const request of sender.sent) request.answer(ok);
  await other.sweep();
  await other.settled();
  assert.equal(
    one.desk.tables.deliveries.values().every(({ state }) => state === 'succeeded'),
    true,
  );
});

test('deliveries of an inactive webhook wait and continue when it is active again', async () => {
  const { webhook, deliveries, courier, sender } = setUp();
  webhook(1, { status: 'inactive' });
  deliveries(1, 3);
  sender.rule = () => ok;
  await courier.start();
  await courier.sweep();
  await courier.settled();
  assert.equal(sender.sent.length, 0);
  webhook(1);
  await courier.sweep();
  await courier.settled();
  assert.equal(sender.sent.length, 3);
});

test('a failed record is kept and recorded by a later sweep: the delivery is not sent again', async () => {
  const { webhook, deliveries, courier, sender, desk, faults } = setUp();
  webhook(1);
  deliveries(1, 1);
  sender.rule = () => ok;
  const record = desk.record.bind(desk);
  desk.record = () => Promise.reject(new Error('the database is away'));
  await courier.start();
  await courier.sweep();
  await courier.settled();
  assert.equal(faults.length > 0, true);
  desk.record = record;
  await courier.sweep();
  await courier.settled();
  assert.equal(sender.sent.length, 1);
  assert.equal(desk.tables.deliveries.values()[0]?.state, 'succeeded');
});

for (const count of [2, 5]) {
  test(`a result that the database refuses permanently does not prevent the record of ${count - 1} others`, async () => {
    const { webhook, deliveries, courier, sender, desk, faults } = setUp();
    webhook(1);
    const [refused] = deliveries(1, count);
    sender.rule = () => ok;
    const record = desk.record.bind(desk);
    desk.record = (results) =>
      results.some(({ delivery }) => delivery.id === refused!.id)
        ? Promise.reject(new Fault('a value that cannot be stored', { retryable: false }))
        : record(results);
    await courier.start();
    await courier.sweep();
    await courier.settled();
    const states = desk.tables.deliveries.values().map(({ state }) => state);
    assert.deepEqual(states, ['pending', ...Array(count - 1).fill('succeeded')]);
    assert.ok(faults.length > 0);
  });
}

test('stopping waits for requests in flight and records them, and leaves waiting deliveries to others', async () => {
  const { webhook, deliveries, courier, sender, desk } = setUp({ in_flight_per_webhook_max: 2 });
  webhook(1);
  deliveries(1, 5);
  await courier.start();
  await courier.sweep();
  await turn();
  const stopped = courier.stop();
  for (const request of sender.sent) request.answer(ok);
  await stopped;
  const states = desk.tables.deliveries.values().map(({ state }) => state);
  assert.equal(states.filter((state) => state === 'succeeded').length, 2);
  assert.equal(states.filter((state) => state === 'pending').length, 3);
});

test('a courier starts once and stops once, and any other change of its phase is a violation', async () => {
  const { courier } = setUp();
  await courier.start();
  await assert.rejects(courier.start(), Violation);
  const stopped = courier.stop();
  await assert.rejects(courier.stop(), Violation);
  await assert.rejects(courier.start(), Violation);
  await stopped;
  await assert.rejects(courier.stop(), Violation);
  await assert.rejects(courier.start(), Violation);
});

test('a courier whose queue could not be consumed starts when it is started again', async () => {
  const { webhook, deliveries, courier, sender, queue } = setUp();
  webhook(1);
  deliveries(1, 1);
  sender.rule = () => ok;
  const consume = queue.consume;
  queue.consume = () => Promise.reject(new Fault('the queue is away', { retryable: true }));
  await assert.rejects(courier.start(), Fault);
  await courier.sweep();
  assert.equal(sender.sent.length, 0);
  queue.consume = consume;
  await courier.start();
  await courier.sweep();
  await courier.settled();
  assert.equal(sender.sent.length, 1);
});

test('work gathers longer after a round with more claims, up to four times as long', async () => {
  for (const [claims, expected_ms] of [
    [1, 5],
    [8, 5],
    [16, 10],
    [32, 20],
    [100, 20],
  ] as const) {
    const { webhook, deliveries, courier, sender, pauses_ms } = setUp({ gather_ms: 5 });
    for (let id = 1; id <= claims; id += 1) {
      webhook(id);
      deliveries(id, 1);
    }
    sender.rule = () => ok;
    await courier.start();
    await courier.sweep();
    await courier.settled();
    assert.deepEqual([sender.sent.length, pauses_ms[0]], [claims, expected_ms], `${claims} claims`);
  }
});

test('a reservation has room for what the lanes and the process have, and sends it without a claim or an offer', async () => {
  const { webhook, deliveries, courier, sender, desk } = setUp({ in_flight_per_webhook_max: 2, in_flight_max: 5 });
  for (const id of [1, 2, 3]) webhook(id);
  const made = [1, 2, 3].flatMap((id) => deliveries(id, 3));
  const offers = made.map(({ id, webhook_id }) => ({ delivery_id: id, webhook_id }));
  assert.deepEqual(courier.reserve().choose(offers), [], 'before it runs');
  await courier.start();
  const reserved = courier.reserve();
  const mine = reserved.choose(offers);
  assert.deepEqual(mine, [1, 2, 4, 5, 7]);
  assert.deepEqual(reserved.choose(offers), mine, 'a second attempt of the transaction');
  const orders = await desk.claim(mine, start_ms, reserved.lease);
  sender.rule = () => ok;
  const claims = desk.claims;
  reserved.send(orders);
  reserved.release();
  await courier.settled();
  assert.deepEqual([sender.sent.length, desk.claims], [5, claims]);
  const states = desk.tables.deliveries.values().map(({ state }) => state);
  assert.equal(states.filter((state) => state === 'succeeded').length, 5);
});

test('a reservation keeps nothing for deliveries behind offers that wait, and its end frees its room', async () => {
  const { webhook, deliveries, courier, queue, sender } = setUp({ in_flight_per_webhook_max: 2 });
  webhook(1);
  const offers = deliveries(1, 4).map(({ id, webhook_id }) => ({ delivery_id: id, webhook_id }));
  await courier.start();
  const reserved = courier.reserve();
  assert.deepEqual(reserved.choose(offers.slice(0, 1)), [1]);
  const offered = queue.offer(offers.slice(1, 3));
  assert.deepEqual(courier.reserve().choose(offers.slice(3)), [], 'the lane has room, but two wait for it');
  await offered;
  await turn();
  assert.deepEqual(
    sender.sent.map(({ headers }) => headers['webhook-id']),
    ['2'],
    'the reservation has the other place',
  );
  reserved.release();
  await turn();
  assert.deepEqual(
    sender.sent.map(({ headers }) => headers['webhook-id']),
    ['2', '3'],
  );
});

test('a courier that was never started offers due deliveries to others, and stops', async () => {
  const { webhook, deliveries, courier, sender, queue } = setUp();
  webhook(1);
  deliveries(1, 2);
  const offered: number[] = [];
  await queue.consume((offers) => offered.push(...offers.map(({ delivery_id }) => delivery_id)));
  assert.equal(await courier.sweep(), 2);
  await courier.stop();
  assert.deepEqual([offered.length, sender.sent.length], [2, 0]);
});

test('a stopping courier claims nothing and offers nothing', async () => {
  const { webhook, deliveries, courier, sender, desk } = setUp({ in_flight_per_webhook_max: 1 });
  webhook(1);
  deliveries(1, 2);
  await courier.start();
  await courier.sweep();
  await turn();
  const stopped = courier.stop();
  const claims = desk.claims;
  assert.equal(await courier.sweep(), 0);
  sender.sent[0]!.answer(ok);
  await stopped;
  assert.equal(await courier.sweep(), 0);
  await turn();
  assert.deepEqual([desk.claims, sender.sent.length], [claims, 1]);
});
