import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { reduceAuthorization, reduceClearing } from '../../src/index.ts';
import { NetworkWorld } from '../network-world.ts';

const now = '2026-11-21T12:00:00Z';
const merchant = { merchant_id: 'M', merchant_name: 'Café' } as const;
const message = { ...merchant, trace_id: 'T', system_trace_audit_number: '000001' } as const;
const clearing = { ...merchant, network_financial_transaction_id: 'F' } as const;

describe('a repeated message is answered as before its record was reduced', () => {
  test('of an authorization', () => {
    const world = new NetworkWorld(now);
    const first = world.authorize(message);
    world.state.authorizations.set(first.id!, reduceAuthorization(world.row(first.id!), world.now_ms));
    assert.deepEqual(world.authorize(message), first);
  });

  test('of a clearing', () => {
    const world = new NetworkWorld(now);
    const first = world.clear(clearing);
    world.state.clearings.set(first.id, reduceClearing(world.clearing(first.id), world.now_ms));
    assert.deepEqual(world.clear(clearing), first);
  });

  test('with the merchant id of its record when the repeated message has another', () => {
    const world = new NetworkWorld(now);
    const [authorized, cleared] = [world.authorize(message), world.clear(clearing)];
    world.state.authorizations.set(authorized.id!, reduceAuthorization(world.row(authorized.id!), world.now_ms));
    world.state.clearings.set(cleared.id, reduceClearing(world.clearing(cleared.id), world.now_ms));
    const other = { merchant_id: 'N' } as const;
    const answers = [world.authorize({ ...message, ...other }), world.clear({ ...clearing, ...other })];
    assert.deepEqual(
      answers.map(({ merchant_id }) => merchant_id),
      ['M', 'M'],
    );
  });
});
