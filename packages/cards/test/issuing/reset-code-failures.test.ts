import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resetCodeFailures } from '../../src/index.ts';
import { assertNotFound, call, cardWorld } from '../card-world.ts';

const { company_id: _company_id, ...operator } = call;
const today = '2026-11-21';

test('a reset forgets the wrong codes of the day, with an event and an audit entry', async () => {
  const world = cardWorld();
  const { card } = await world.issue({});
  world.use(card.id, { code_failures: 10, code_failures_on: today, held: 300 });
  const { forgotten } = await world.run((tx) => resetCodeFailures(tx, operator, card.id));
  assert.equal(forgotten, 10);
  const { counters } = world.committed().cards.get(card.id)!;
  assert.deepEqual([counters.code_failures, counters.code_failures_on, counters.held], [0, null, 300]);
  const { event_type, payload, previous, company_id } = world.events().at(-1)!;
  assert.deepEqual([event_type, company_id], ['virtualcard.updated', card.company_id]);
  assert.deepEqual([payload.id, payload.code_failures, payload.available_balance], [card.id, 0, 9_700]);
  assert.deepEqual([previous?.code_failures, previous?.available_balance], [10, 9_700]);
  const { action, object, details, actor } = world.audit().at(-1)!;
  const entry = ['code_failures.reset', `virtualcard:${card.id}`, { code_failures: 10 }, call.actor];
  assert.deepEqual([action, object, details, actor], entry);
});

test('a reset of a card without wrong codes of the day writes no event and no audit entry', async () => {
  const world = cardWorld();
  const { card } = await world.issue({});
  world.use(card.id, { code_failures: 10, code_failures_on: '2026-11-20' });
  const before = [world.events().length, world.audit().length];
  const { forgotten } = await world.run((tx) => resetCodeFailures(tx, operator, card.id));
  assert.equal(forgotten, 0);
  assert.deepEqual([world.events().length, world.audit().length], before);
});

test('a reset of an unknown card is refused', async () => {
  const world = cardWorld();
  await assertNotFound(world.run((tx) => resetCodeFailures(tx, operator, 99)));
});
