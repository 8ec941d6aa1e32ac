import assert from 'node:assert/strict';
import { test } from 'node:test';
import { courier_limits_default } from '../src/index.ts';
import { failed, ok, setUp, start_ms, turn } from './courier-world.ts';

/** Lets the rounds run that follow from what just happened. */
async function turns(): Promise<void> {
  for (let round = 0; round < 4; round += 1) await turn();
}

test('without configuration, the limits of a courier are these', () => {
  assert.deepEqual(courier_limits_default, {
    in_flight_max: 512,
    in_flight_per_webhook_max: 8,
    waiting_per_webhook_max: 256,
    failures_until_slow: 3,
    batch_max: 256,
    gather_ms: 5,
    lease_ms: 30_000,
  });
});

test('a webhook is limited from the last permitted failure in a row on, and not from an earlier one', async () => {
  const { webhook, deliveries, courier, sender } = setUp({ in_flight_per_webhook_max: 4, failures_until_slow: 3 });
  webhook(1);
  deliveries(1, 20);
  await courier.start();
  await courier.sweep();
  await turns();
  sender.sent[0]!.answer(failed);
  sender.sent[1]!.answer(failed);
  await turns();
  assert.equal(sender.sent.length, 6, 'two failures free two places');
  sender.sent[2]!.answer(failed);
  await turns();
  assert.equal(sender.sent.length, 6, 'the third frees none');
});

test('failures count in a row: a success between them begins again', async () => {
  const { webhook, deliveries, courier, sender } = setUp({ in_flight_per_webhook_max: 1, failures_until_slow: 2 });
  webhook(1);
  deliveries(1, 10);
  await courier.start();
  await courier.sweep();
  for (const [at, answer] of [failed, ok, failed].entries()) {
    await turns();
    sender.sent[at]!.answer(answer);
  }
  await turns();
  deliveries(1, 1);
  assert.equal(sender.sent.length, 4);
});

test('a failing webhook is remembered while it has no delivery in progress', async () => {
  const { webhook, deliveries, courier, sender } = setUp({ in_flight_per_webhook_max: 4, failures_until_slow: 3 });
  webhook(1);
  sender.rule = () => failed;
  await courier.start();
  for (let failures = 0; failures < 3; failures += 1) {
    deliveries(1, 1);
    await courier.sweep();
    await courier.settled();
  }
  assert.equal(sender.sent.length, 3);
  sender.rule = null;
  deliveries(1, 5);
  await courier.sweep();
  await turns();
  assert.equal(sender.sent.length, 4);
});

test('no more requests are in flight than the process may have, and each claim has at most a batch', async () => {
  const { webhook, deliveries, courier, sender, desk } = setUp({ in_flight_max: 5, batch_max: 2 });
  const claimed: number[] = [];
  const claim = desk.claim.bind(desk);
  desk.claim = (ids, ...others) => {
    claimed.push(ids.length);
    return claim(ids, ...others);
  };
  for (let id = 1; id <= 3; id += 1) {
    webhook(id);
    deliveries(id, 4);
  }
  await courier.start();
  await courier.sweep();
  await turns();
  assert.deepEqual([sender.sent.length, claimed], [5, [2, 2, 1]]);
});

test('results are recorded in batches', async () => {
  const { webhook, deliveries, courier, sender, desk } = setUp({ batch_max: 2 });
  const recorded: number[] = [];
  const record = desk.record.bind(desk);
  webhook(1);
  deliveries(1, 5);
  await courier.start();
  await courier.sweep();
  await turns();
  desk.record = (results) => {
    recorded.push(results.length);
    return record(results);
  };
  for (const request of sender.sent) request.answer(ok);
  await courier.settled();
  assert.deepEqual(recorded.toSorted(), [1, 2, 2]);
  assert.equal(
    desk.tables.deliveries.values().every(({ state }) => state === 'succeeded'),
    true,
  );
});

test('a sweep asks for sixteen times the requests in flight, and passes over webhooks whose lane is half full', async () => {
  const limits = { in_flight_max: 3, in_flight_per_webhook_max: 1, waiting_per_webhook_max: 6 };
  const { webhook, deliveries, courier, desk } = setUp(limits);
  webhook(1);
  webhook(2);
  deliveries(1, 4);
  deliveries(2, 3);
  const asked: unknown[] = [];
  const due = desk.due.bind(desk);
  desk.due = (now_ms, machine_ms, bounds) => {
    asked.push(bounds);
    return due(now_ms, machine_ms, bounds);
  };
  await courier.start();
  await courier.sweep();
  await turns();
  // One of each webhook is in flight; three of the first and two of the second wait.
  await courier.sweep();
  assert.deepEqual(asked, [
    { per_webhook: 6, limit: 48, passed_over: [] },
    { per_webhook: 6, limit: 48, passed_over: [1] },
  ]);
});

test('a lane takes no more offers than it may have, and none twice', async () => {
  const { webhook, deliveries, courier, queue, sender } = setUp({
    in_flight_per_webhook_max: 1,
    waiting_per_webhook_max: 2,
  });
  webhook(1);
  const offers = deliveries(1, 6).map(({ id }) => ({ delivery_id: id, webhook_id: 1 }));
  await courier.start();
  await queue.offer([...offers.slice(0, 3), ...offers]);
  await turns();
  sender.rule = () => ok;
  sender.sent[0]!.answer(ok);
  await courier.settled();
  assert.equal(sender.sent.length, 2, 'one was sent immediately, one of the two that waited was known before');
});

test('a sweep offers nothing while as many offers wait as requests may be in flight', async () => {
  const { webhook, deliveries, courier, queue } = setUp({ in_flight_max: 4 });
  webhook(1);
  deliveries(1, 1);
  await courier.start();
  queue.depth = async () => 4;
  assert.equal(await courier.sweep(), 0);
  queue.depth = async () => 3;
  assert.equal(await courier.sweep(), 1);
});

test('a sweep records what could not be recorded, also when it offers nothing', async () => {
  const { webhook, deliveries, courier, sender, desk, queue } = setUp();
  webhook(1);
  deliveries(1, 1);
  sender.rule = () => ok;
  const record = desk.record.bind(desk);
  desk.record = () => Promise.reject(new Error('the database is away'));
  await courier.start();
  await courier.sweep();
  await courier.settled();
  desk.record = record;
  queue.depth = () => Promise.reject(new Error('the queue is away'));
  assert.equal(await courier.sweep(), 0);
  await courier.settled();
  assert.equal(desk.tables.deliveries.values()[0]?.state, 'succeeded');
});

test('each attempt is reported to the observer once, with its status', async () => {
  const { webhook, deliveries, courier, sender, attempts } = setUp();
  webhook(1);
  deliveries(1, 2);
  sender.rule = ({ headers }) => (headers['x-webhook-sequence'] === '1' ? ok : failed);
  await courier.start();
  await courier.sweep();
  await courier.settled();
  assert.deepEqual(
    attempts.map(({ status }) => status),
    [200, 503],
  );
});

test('one claim takes all that its webhooks may have', async () => {
  const { webhook, deliveries, courier, desk } = setUp({ in_flight_per_webhook_max: 3 });
  const claimed: number[] = [];
  const claim = desk.claim.bind(desk);
  desk.claim = (ids, ...others) => {
    claimed.push(ids.length);
    return claim(ids, ...others);
  };
  for (let id = 1; id <= 2; id += 1) {
    webhook(id);
    deliveries(id, 4);
  }
  await courier.start();
  await courier.sweep();
  await turns();
  assert.deepEqual(claimed, [6]);
});

test('one claim takes failing webhooks for a quarter of the requests in flight', async () => {
  const { webhook, deliveries, courier, sender, desk } = setUp({ in_flight_max: 8, failures_until_slow: 1 });
  sender.rule = () => failed;
  await courier.start();
  for (let id = 1; id <= 4; id += 1) {
    webhook(id);
    deliveries(id, 1);
  }
  await courier.sweep();
  await courier.settled();
  sender.rule = null;
  for (let id = 1; id <= 4; id += 1) deliveries(id, 1);
  const claimed: number[] = [];
  const claim = desk.claim.bind(desk);
  desk.claim = (ids, ...others) => {
    claimed.push(ids.length);
    return claim(ids, ...others);
  };
  await courier.sweep();
  await turns();
  assert.deepEqual(claimed, [2]);
});

test('rounds are at least the gathering time apart, also when the clock of the machine goes back', async () => {
  const { webhook, deliveries, courier, sender, pauses_ms, moveTo } = setUp({ gather_ms: 5 });
  webhook(1);
  sender.rule = () => ok;
  await courier.start();
  const send = async () => {
    deliveries(1, 1);
    await courier.sweep();
    await courier.settled();
    return pauses_ms.splice(0);
  };
  // The first round has none before it. The round that records its result waits.
  assert.deepEqual(await send(), [5]);
  moveTo(start_ms + 4);
  assert.deepEqual(await send(), [1, 5]);
  moveTo(start_ms + 9);
  assert.deepEqual(await send(), [5]);
  moveTo(start_ms + 3);
  assert.deepEqual(await send(), [5, 5]);
});
