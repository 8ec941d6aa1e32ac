import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cancelCard, emailCard, readCard } from '../../src/index.ts';
import { assertNotFound, call, cardWorld, invalidFields, now_ms, refusalOf } from '../card-world.ts';

test('a canceled card stays readable, and its event has the state before and after the cancellation', async () => {
  const world = cardWorld();
  const { card } = await world.issue({});
  world.use(card.id, { held: 300, uses: 1 });
  const later = { ...call, now_ms: now_ms + 5, request_id: 'r-2' };
  const canceled = await world.run((tx) => cancelCard(tx, later, card.id));
  assert.deepEqual([canceled.status, canceled.canceled_at_ms], ['Canceled', now_ms + 5]);
  assert.equal((await world.run((tx) => readCard(tx, later, card.id))).card.status, 'Canceled');
  const [created, deleted, ...others] = world.events();
  assert.deepEqual(others, []);
  assert.equal(deleted?.event_type, 'virtualcard.deleted');
  assert.deepEqual([deleted.created_at_ms, deleted.request_id], [now_ms + 5, 'r-2']);
  assert.deepEqual(deleted.previous, { ...created?.payload, available_balance: 9_700 });
  assert.deepEqual(deleted.payload, { ...deleted.previous, status: 'Canceled' });
});

test('a second cancellation changes nothing and writes no event', async () => {
  const world = cardWorld();
  const { card } = await world.issue({});
  const first = await world.run((tx) => cancelCard(tx, call, card.id));
  const again = await world.run((tx) => cancelCard(tx, { ...call, now_ms: now_ms + 5 }, card.id));
  assert.deepEqual(again, first);
  assert.equal(world.events().length, 2);
});

test('a card of another company is neither canceled nor mailed', async () => {
  const world = cardWorld();
  const { card } = await world.issue({});
  const stranger = { ...call, company_id: 2 };
  await assertNotFound(world.run((tx) => cancelCard(tx, stranger, card.id)));
  await assertNotFound(world.run((tx) => emailCard(tx, stranger, card.id, 'a@example.com')));
  assert.equal(world.committed().cards.get(card.id)?.status, 'Approved');
});

test('a card is mailed on demand, and counts as notified from then on', async () => {
  const world = cardWorld();
  const { card } = await world.issue({});
  const { card: after } = await world.run((tx) => emailCard(tx, call, card.id, 'c@example.com'));
  assert.deepEqual([after.notified, after.emails], [true, null]);
  assert.equal(world.committed().cards.get(card.id)?.notified, true);
  await world.run((tx) => emailCard(tx, call, card.id, 'd@example.com'));
  assert.deepEqual(
    world.mails().map(({ recipient }) => recipient),
    ['c@example.com', 'd@example.com'],
  );
});

test('a mail whose transaction fails is not queued', async () => {
  const world = cardWorld();
  const { card } = await world.issue({});
  await assert.rejects(
    world.run(async (tx) => {
      await emailCard(tx, call, card.id, 'c@example.com');
      throw new Error('the disk is full');
    }),
  );
  assert.deepEqual([world.mails(), world.committed().cards.get(card.id)?.notified], [[], false]);
});

test('an invalid address gets no mail, and a Canceled card is not mailed', async () => {
  const world = cardWorld();
  const { card } = await world.issue({});
  for (const wrong of [undefined, null, '', 'nobody', 'a@b', 'a@example.com, b@example.com', 5, ['a@example.com']]) {
    assert.deepEqual(await invalidFields(world.run((tx) => emailCard(tx, call, card.id, wrong))), ['email']);
  }
  await world.run((tx) => cancelCard(tx, call, card.id));
  const refusal = await refusalOf(world.run((tx) => emailCard(tx, call, card.id, 'a@example.com')));
  assert.match(refusal!.message, /is Canceled/);
  assert.deepEqual(world.mails(), []);
});
