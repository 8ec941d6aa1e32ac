import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { authorizationItem } from '../../src/index.ts';
import { NetworkWorld } from '../network-world.ts';

function holdShown(world: NetworkWorld, id: number) {
  const [card] = world.state.cards.values();
  assert(card !== undefined);
  return authorizationItem(world.row(id), { ...card, rcn_alias: 'R', billing_currency: 'USD' }).hold;
}

describe('an authorization that is read', () => {
  test('shows what it holds, what has cleared of it, and when the hold ends', () => {
    const world = new NetworkWorld('2026-11-21T12:00:00Z');
    world.authorize({ billing_amount: 400, trace_id: 'one' });
    world.authorize({ billing_amount: 100, trace_id: 'one', system_trace_audit_number: '2', incremental: true });
    const ends_at = '2026-12-21T00:00:01Z';
    assert.deepEqual(holdShown(world, 1), { authorized: 500, held: 500, cleared: 0, ends_at });
    assert.equal(holdShown(world, 2), undefined, 'an increment holds nothing itself');
    world.release(1);
    const released = { authorized: 500, held: 0, cleared: 0, ends_at: '2026-11-21T12:00:00Z' };
    assert.deepEqual(holdShown(world, 1), released);
  });

  test('has no hold when it was declined', () => {
    const world = new NetworkWorld('2026-11-21T12:00:00Z');
    world.authorize({ billing_amount: 900_000_000 });
    assert.equal(holdShown(world, 1), undefined);
  });
});
