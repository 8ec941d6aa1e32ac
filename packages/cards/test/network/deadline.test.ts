import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Fault, missedDeadline } from '@tallystick/kernel';
import { CardsHeld, createNetwork, type Fold, type Ledger, type Lookup, type PassBounds } from '../../src/index.ts';
import { type CardSketch, NetworkWorld, plain_quarantine, vault } from '../network-world.ts';
import { settled, TestTime } from './test-time.ts';

const decision_ms_max = 5_000;

/** What the ledger does before a pass: resolves, rejects, or never settles. */
type Before = (messages: readonly Lookup[], bounds: PassBounds) => Promise<void>;

/** The network before a ledger that a test makes slow or broken. */
function setUp(before: Before, ...sketches: readonly CardSketch[]) {
  const time = new TestTime();
  const world = new NetworkWorld(
    '2026-11-21T12:00:00Z',
    ...(sketches.length === 0 ? [{ id: 1 }, { id: 2 }] : sketches),
  );
  const sizes: number[] = [];
  const ledger: Ledger = {
    async pass<Result>(messages: readonly Lookup[], fold: Fold<Result>, bounds: PassBounds = {}) {
      sizes.push(messages.length);
      await before(messages, bounds);
      return await world.ledger.pass(messages, fold);
    },
    passDue: (limit, fold) => world.ledger.passDue(limit, fold),
  };
  const time_bounds = { monotonicNow: time.monotonicNow, pause: time.pause, wait_ms_max: 1_000, decision_ms_max };
  const network = createNetwork({ ledger, vault, random: world.random, ...plain_quarantine, time_bounds });
  return { time, world, sizes, network };
}

const codeOf = (answer: Awaited<ReturnType<ReturnType<typeof setUp>['network']['authorize']>>) =>
  answer.kind === 'answered' ? answer.code : 'refused';

describe('the deadline of a pass', () => {
  test('is that of its first message: the time since its arrival counts', async () => {
    const left: number[] = [];
    const { time, world, network } = setUp(async (_messages, { deadline }) => {
      left.push(deadline?.leftMs() ?? Number.NaN);
      await time.pause(300);
    });
    const answers = [network.authorize(world.message())];
    await time.advance(100);
    answers.push(network.authorize(world.message()));
    await time.advance(100);
    answers.push(network.authorize(world.message()));
    await time.advance(400);
    assert.deepEqual((await Promise.all(answers)).map(codeOf), ['V', 'V', 'V']);
    assert.deepEqual(left, [5_000, 4_800]);
  });

  test('counts from the arrival in the process, before the message reached the network', async () => {
    const left: number[] = [];
    const { time, world, network } = setUp(async (_messages, { deadline }) => {
      left.push(deadline?.leftMs() ?? Number.NaN);
      await time.pause(300);
    });
    const in_pass = network.authorize(world.message(), time.monotonicNow() - 2_000);
    await time.advance(0);
    const behind = network.authorize(world.message());
    const late = network.authorize(world.message(), time.monotonicNow() - 4_900);
    await time.advance(100);
    assert.equal(codeOf(await late), 'U');
    await time.advance(500);
    assert.deepEqual([codeOf(await in_pass), codeOf(await behind)], ['V', 'V']);
    assert.deepEqual(left, [3_000, 4_700]);
  });

  test('is near for a message that was received slowly, which shares no pass', async () => {
    const { time, world, sizes, network } = setUp(async (_messages, { deadline }) => {
      await time.pause(Math.min(300, deadline!.leftMs()));
      if (deadline!.leftMs() <= 0) throw missedDeadline();
    });
    const answers = [0, 4_900, 0].map((age_ms) => network.authorize(world.message(), time.monotonicNow() - age_ms));
    await time.advance(1_000);
    assert.deepEqual((await Promise.all(answers)).map(codeOf), ['V', 'U', 'V']);
    assert.equal(Math.max(...sizes), 1);
  });

  test('is not extended when a message is tried again', async () => {
    const left: number[] = [];
    const { time, world, sizes, network } = setUp(async (messages, { deadline }) => {
      left.push(deadline?.leftMs() ?? Number.NaN);
      await time.pause(400);
      if (messages.length > 1) throw new Fault('one of them is the cause', { retryable: false });
    });
    const answers = [1, 2].map(() => network.authorize(world.message()));
    await time.advance(1_200);
    assert.deepEqual((await Promise.all(answers)).map(codeOf), ['V', 'V']);
    assert.deepEqual(sizes, [2, 1, 1]);
    assert.deepEqual(left, [5_000, 4_600, 4_200]);
  });

  test('ends the wait of a message that is tried again, even if it has not waited long', async () => {
    const { time, world, sizes, network } = setUp(async (messages) => {
      await time.pause(4_500);
      if (messages.length > 1) throw new Fault('one of them is the cause', { retryable: false });
    });
    const answers = [1, 2].map(() => network.authorize(world.message()));
    await time.advance(5_000);
    assert.equal(codeOf(await answers[1]!), 'U', 'the first is in a pass of its own');
    await time.advance(4_000);
    assert.deepEqual([codeOf(await answers[0]!), sizes], ['V', [2, 1]]);
  });
});

describe('a pass that fails because of the whole database', () => {
  test('fails all of its messages at once, and none is tried alone', async () => {
    const { time, world, sizes, network } = setUp(async (_messages, { deadline }) => {
      await time.pause(deadline!.leftMs());
      throw missedDeadline();
    });
    const answers = Array.from({ length: 200 }, () => network.authorize(world.message()));
    const clearing = assert.rejects(network.clear(world.clearingMessage()), Fault);
    await time.advance(decision_ms_max);
    assert.deepEqual(new Set((await Promise.all(answers)).map(codeOf)), new Set(['U']));
    await clearing;
    assert.deepEqual([sizes, world.counters.uses], [[201], 0]);
  });
});

describe('a card that another transaction holds', () => {
  /** Cards from 2 on are held until `end`. A pass over them alone waits for that. */
  function withHeldCards(...sketches: readonly { id: number }[]) {
    const free = Promise.withResolvers<void>();
    const isHeld = (message: Lookup) => message.kind === 'authorization' && message.pan.last4 !== '0001';
    let ended = false;
    const set = setUp(
      async (messages, { held_ms_max }) => {
        if (ended || !messages.some(isHeld)) return;
        if (held_ms_max !== undefined) throw new CardsHeld(isHeld, null);
        await free.promise;
      },
      ...sketches,
    );
    const send = async (card_id: number) => codeOf(await set.network.authorize(set.world.message({ card_id })));
    return {
      ...set,
      send,
      end() {
        ended = true;
        free.resolve();
      },
    };
  }

  test('delays only its own messages: the others of the pass are decided together, and so are later ones', async () => {
    const { time, sizes, send, end } = withHeldCards();
    const held = [send(2), send(2)];
    const others = [send(1), send(1), send(1)];
    assert.deepEqual(await Promise.all(others), ['V', 'V', 'V']);
    assert.deepEqual(sizes.toSorted(), [2, 3, 5], 'all, the others, and those of the card');
    assert.deepEqual(await Promise.all([send(1), send(1)]), ['V', 'V']);
    await time.advance(500);
    end();
    assert.deepEqual(await Promise.all(held), ['V', 'V']);
  });

  test('keeps the order of its messages', async () => {
    const { world, sizes, send, network, end } = withHeldCards();
    const order: number[] = [];
    const sent = (billing_amount: number) =>
      network.authorize(world.message({ card_id: 2, billing_amount })).then(() => order.push(billing_amount));
    const held = [sent(1), send(1), sent(2)];
    await settled();
    held.push(sent(3), sent(4));
    await settled();
    end();
    await Promise.all(held);
    assert.deepEqual(order, [1, 2, 3, 4]);
    const rows = world.state.authorizations.values().filter(({ card_id }) => card_id === 2);
    assert.deepEqual(
      [...rows].map(({ billing_amount }) => billing_amount),
      [1, 2, 3, 4],
    );
    assert.ok(!sizes.includes(0));
  });

  test('fails its messages when they have waited too long', async () => {
    const { time, world, send, end } = withHeldCards();
    const first = send(2);
    await settled();
    const behind = send(2);
    await time.advance(1_000);
    assert.equal(await behind, 'U');
    end();
    assert.equal(await first, 'V');
    assert.equal(world.card(2).counters.uses, 1);
  });

  test('has its messages answered before the network is drained', async () => {
    const { network, send, end } = withHeldCards();
    const held = send(2);
    await settled();
    let is_drained = false;
    const drained = network.drain().then(() => {
      is_drained = true;
    });
    await settled();
    assert.equal(is_drained, false);
    end();
    await drained;
    assert.equal(await held, 'V');
  });

  test('shares a lane when there are many such cards, and all are decided', async () => {
    const ids = [2, 3, 4, 5, 6, 7, 8];
    const { sizes, send, end } = withHeldCards(...[1, ...ids].map((id) => ({ id })));
    const held = ids.map((id) => send(id));
    await settled();
    assert.equal(await send(1), 'V');
    assert.deepEqual(sizes.slice(0, 5), [7, 2, 2, 2, 1], 'four lanes');
    end();
    assert.deepEqual(new Set(await Promise.all(held)), new Set(['V']));
  });
});
