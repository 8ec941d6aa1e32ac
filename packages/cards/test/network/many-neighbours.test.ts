import assert from 'node:assert/strict';
import { test } from 'node:test';
import { money } from '@tallystick/kernel';
import {
  createNetwork,
  examined_max,
  type Fold,
  foldMessages,
  type Ledger,
  type LedgerState,
  type Lookup,
  lookupsOf,
  type NetworkMessage,
  type PassBounds,
} from '../../src/index.ts';
import { matchByHand, rematchMessage, rowsOf } from '../deciding/by-hand.ts';
import { NetworkWorld, plain_quarantine, vault } from '../network-world.ts';

/** Purchases, and as many clearings without an authorization: each fits all purchases. */
const purchases = 100;

/** A match by hand examines all of them. */
const at_once = Math.ceil(examined_max / (2 * purchases));

function busyWorld(): NetworkWorld {
  const world = new NetworkWorld('2026-11-21T12:00:00Z', { total_card_amount: money(100_000_000) });
  const fields = { merchant_id: 'M', billing_amount: 500 };
  const ats = Array.from({ length: purchases }, (_, at) => at);
  world.send(...ats.map((at) => world.message({ ...fields, trace_id: `T${at}` })));
  world.send(...ats.map(() => world.clearingMessage(fields)));
  return world;
}

/** The ids of the authorizations that a pass writes. */
async function written(world: NetworkWorld, message: NetworkMessage): Promise<readonly number[]> {
  return await world.ledger.pass(lookupsOf(message), (state) => {
    const folded = foldMessages(state, [message], { vault, random: world.random, ...plain_quarantine });
    return { ...folded, result: folded.changes.authorizations_changed.map(({ id }) => id) };
  });
}

/** Counts the messages that each pass was given and the answers that it returned. */
function counting(world: NetworkWorld) {
  const passes: { readonly given: number; readonly answered: number }[] = [];
  const ledger: Ledger = {
    async pass<Result>(messages: readonly Lookup[], fold: Fold<Result>, bounds?: PassBounds): Promise<Result> {
      const result = await world.ledger.pass(messages, (state: LedgerState) => fold(state), bounds);
      passes.push({ given: messages.length, answered: (result as unknown[]).length });
      return result;
    },
    passDue: (limit, fold) => world.ledger.passDue(limit, fold),
  };
  return { ledger, passes };
}

test('a pass answers as many messages as examine so many records, and the next passes answer the others', async () => {
  const world = busyWorld();
  const matches = Array.from({ length: 10 }, (_, at) =>
    rematchMessage([matchByHand({ clearing_id: at + 1, authorization_id: purchases - at })]),
  );
  const { ledger, passes } = counting(world);
  const network = createNetwork({ ledger, vault, random: world.random, ...plain_quarantine });
  const answers = await Promise.all(matches.map((match) => network.rematch(match)));
  assert.deepEqual(
    answers.map(({ kind }) => kind),
    matches.map(() => 'answered'),
  );
  assert.deepEqual(passes[0], { given: 10, answered: at_once }, 'the first pass');
  assert.ok(
    passes.every(({ answered }) => answered <= at_once),
    JSON.stringify(passes),
  );
  assert.ok(
    passes.slice(1).every(({ given }) => given <= 2 * at_once),
    `a pass is given few more than it can answer: ${JSON.stringify(passes)}`,
  );
  const together = busyWorld();
  together.send(...matches);
  assert.deepEqual(rowsOf(world), rowsOf(together), 'the records, as one pass would leave them');
  await network.drain();
});

test('a pass writes only the authorizations that have another state than before', async () => {
  const world = busyWorld();
  const match = matchByHand({ clearing_id: 3, authorization_id: 7 });
  assert.deepEqual(await written(world, rematchMessage([match])), [7], 'a match by hand');
  const fields = { merchant_id: 'M', billing_amount: 500 };
  assert.deepEqual(await written(world, world.clearingMessage(fields)), [], 'a clearing that fits several');
  assert.deepEqual(await written(world, world.message({ ...fields, trace_id: 'new' })), [], 'a purchase');
});
