import assert from 'node:assert/strict';
import { it } from 'node:test';
import { callAfterPass, createNetwork, type Ledger, sweepHolds } from '../../src/index.ts';
import { NetworkWorld, plain_quarantine, vault } from '../network-world.ts';

it('calls the hook only after each pass that committed', async () => {
  const world = new NetworkWorld('2026-11-21T12:00:00Z');
  const stored: number[] = [];
  let fails = false;
  const ledger: Ledger = {
    async pass(messages, fold) {
      if (fails) throw new Error('the database is away');
      return await world.ledger.pass(messages, fold);
    },
    passDue: (limit, fold) => world.ledger.passDue(limit, fold),
  };
  const hooked = callAfterPass(ledger, () => stored.push(world.state.authorizations.size));
  const network = createNetwork({ ledger: hooked, vault, random: world.random, ...plain_quarantine });
  await network.authorize(world.message());
  assert.deepEqual(stored, [1], 'the writes of the pass are stored when the hook is called');
  fails = true;
  await network.authorize(world.message());
  assert.deepEqual(stored, [1]);
  await sweepHolds(hooked, 10);
  assert.deepEqual(stored, [1, 1]);
});
