import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findCandidates } from '../../src/index.ts';
import { cardOf, NetworkWorld } from '../network-world.ts';

const now = '2026-11-21T12:00:00Z';
const ref = { net_reference_number: 'MCCABC1231121' } as const;
const shop = { merchant_id: 'M' } as const;

/** The rules and authorizations of the candidates of a clearing, of all records of its card. */
function candidatesOf(world: NetworkWorld, clearing_id: number): readonly (readonly [number, number])[] {
  const { authorizations, clearings } = world.state;
  const records = {
    clearing: world.clearing(clearing_id),
    card: cardOf(),
    roots: [...authorizations.values()],
    clearings: [...clearings.values()],
  };
  return findCandidates(records, world.now_ms).map(({ rule, authorization_id }) => [rule, authorization_id]);
}

describe('the authorizations that a clearing may belong to', () => {
  test('are found by the first rule, and of one rule the oldest comes first', () => {
    const world = new NetworkWorld(now);
    const later = world.authorize({ ...shop, transaction_date_time: '2026-11-21T11:00:00Z' });
    const earlier = world.authorize({ ...shop, transaction_date_time: '2026-11-21T10:00:00Z' });
    const named = world.authorize({ ...shop, ...ref });
    world.authorize({ merchant_id: 'N' });
    const { id } = world.clear({ ...shop, ...ref });
    assert.deepEqual(candidatesOf(world, id), [
      [3, named.id],
      [6, earlier.id],
      [6, later.id],
    ]);
  });

  test('are as the clearings left them that come before it, and not those that come after it', () => {
    const world = new NetworkWorld(now);
    const first = world.authorize({ ...shop, transaction_date_time: '2026-11-21T10:00:00Z' });
    const second = world.authorize({ ...shop, ...ref, transaction_date_time: '2026-11-21T11:00:00Z' });
    const before = world.clear({ ...shop, ...ref, settlement_date: '2026-11-22' });
    const after = world.clear({ ...shop, settlement_date: '2026-11-23' });
    assert.deepEqual(candidatesOf(world, before.id), [
      [3, second.id],
      [6, first.id],
    ]);
    assert.deepEqual(candidatesOf(world, after.id), [[6, first.id]]);
  });
});
