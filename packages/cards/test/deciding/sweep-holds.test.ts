import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sweepHolds } from '../../src/index.ts';
import { aging, NetworkWorld } from '../network-world.ts';

const cards = [1, 2, 3].map((id) => ({ ...aging, id }));

test('a sweep marks ended holds expired, a bounded number of cards at a time, and then finds none', async () => {
  const world = new NetworkWorld('2026-11-21T12:00:00Z', ...cards);
  for (const { id } of cards) world.authorize({ card_id: id });
  assert.equal(await sweepHolds(world.ledger, 2), 0);
  world.now = '2026-11-28T05:00:01Z';
  assert.equal(await sweepHolds(world.ledger, 2), 2);
  assert.equal(await sweepHolds(world.ledger, 2), 1);
  assert.equal(await sweepHolds(world.ledger, 2), 0);
  for (const { id } of cards) {
    assert.deepEqual([world.card(id).counters.held, world.card(id).counters.next_hold_end_ms], [0, null]);
    assert.equal(world.row(id).status, 'expired');
  }
  assert.equal(world.events.length, 3, 'a hold that ends is no event');
});

test('a sweep does not change holds that are not due', async () => {
  const world = new NetworkWorld('2026-11-21T12:00:00Z', aging);
  world.authorize({ billing_amount: 100 });
  world.now = '2026-11-22T12:00:00Z';
  world.authorize({ billing_amount: 200 });
  world.now = '2026-11-28T05:00:01Z';
  assert.equal(await sweepHolds(world.ledger, 10), 1);
  assert.equal(world.counters.held, 200);
  assert.equal(await sweepHolds(world.ledger, 10), 0);
  world.now = '2026-11-29T05:00:01Z';
  assert.equal(await sweepHolds(world.ledger, 10), 1);
  assert.equal(world.counters.held, 0);
});
