import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Fault } from '@tallystick/kernel';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { createNetwork, type Fold, type Ledger, type Lookup, type OverloadReason } from '../../src/index.ts';
import { NetworkWorld, plain_quarantine, vault } from '../network-world.ts';
import { TestTime } from './test-time.ts';

const now = '2026-11-21T12:00:00Z';
const wait_ms_max = 500;

type Outcome = 'decided' | 'refused';

/** A message that was sent, and what became of it; times of the test's clock. */
interface Sent {
  readonly message: Lookup;
  readonly sent_ms: number;
  readonly passes: { readonly begun_ms: number; ended_ms: number | null }[];
  answered: { readonly at_ms: number; readonly outcome: Outcome } | null;
}

/** The length of a pass over this many messages, and whether it fails. */
type PassPlan = (messages: number) => { readonly ms: number; readonly fails: boolean };

/** The network before a ledger whose passes take time. */
class Overload {
  readonly time = new TestTime();
  readonly sent: Sent[] = [];
  readonly refusals: OverloadReason[] = [];
  readonly pass_sizes: number[] = [];
  readonly world = new NetworkWorld(now);
  readonly network;

  constructor(
    plan: PassPlan,
    { passes_at_once = 1, batch_max = 4, queue_max = 10_000 } = {},
    gather?: NonNullable<Ledger['gather']>,
  ) {
    const { world, time } = this;
    const ledger: Ledger = {
      passes_at_once,
      ...(gather === undefined ? {} : { gather }),
      pass: async <Result>(messages: readonly Lookup[], fold: Fold<Result>): Promise<Result> => {
        const { ms, fails } = plan(messages.length);
        this.pass_sizes.push(messages.length);
        const records = this.sent
          .filter(({ message }) => messages.includes(message))
          .map((sent) => {
            const record: Sent['passes'][number] = { begun_ms: time.monotonicNow(), ended_ms: null };
            sent.passes.push(record);
            return record;
          });
        await time.pause(ms);
        for (const record of records) record.ended_ms = time.monotonicNow();
        if (fails) throw new Fault('the test fails this pass', { retryable: false });
        return await world.ledger.pass(messages, fold);
      },
      passDue: (limit, fold) => world.ledger.passDue(limit, fold),
    };
    const time_bounds = { monotonicNow: time.monotonicNow, pause: time.pause, wait_ms_max };
    this.network = createNetwork({
      ledger,
      vault,
      random: world.random,
      ...plain_quarantine,
      batch_max,
      queue_max,
      time_bounds,
      onOverload: (reason) => this.refusals.push(reason),
    });
  }

  /**
   * Sends an authorization, or a clearing. With `lane`, of a number in that lane which no card has.
   */
  send(kind: 'authorization' | 'clearing' = 'authorization', lane?: number): Sent {
    const { world, time, network } = this;
    const own = lane === undefined ? {} : { number_index: new Uint8Array([lane]) };
    const message = kind === 'authorization' ? { ...world.message(), ...own } : world.clearingMessage();
    const sent: Sent = { message, sent_ms: time.monotonicNow(), passes: [], answered: null };
    this.sent.push(sent);
    const answer = (outcome: Outcome) => {
      assert.equal(sent.answered, null, 'a message is answered once');
      sent.answered = { at_ms: time.monotonicNow(), outcome };
    };
    if (message.kind === 'authorization') {
      void network
        .authorize(message)
        .then((given) => answer(given.kind === 'answered' && given.fault ? 'refused' : 'decided'));
    } else {
      void network.clear(message).then(
        () => answer('decided'),
        () => answer('refused'),
      );
    }
    return sent;
  }

  sendMany(count: number): Sent[] {
    return Array.from({ length: count }, () => this.send());
  }

  outcomes(of: readonly Sent[] = this.sent): (Outcome | 'waits')[] {
    return of.map(({ answered }) => answered?.outcome ?? 'waits');
  }
}

const always =
  (ms: number): PassPlan =>
  () => ({ ms, fails: false });

/** Runs two rounds, so that the network knows that a full pass takes 200 ms. */
async function warmedUp(): Promise<Overload> {
  const run = new Overload(always(200));
  run.sendMany(8);
  await run.time.advance(400);
  assert.deepEqual([run.pass_sizes, run.refusals], [[4, 4], []]);
  return run;
}

describe('a message that would wait too long', () => {
  test('is refused immediately, and messages before it are decided', async () => {
    const run = await warmedUp();
    const admitted = run.sendMany(4);
    await run.time.advance(0);
    admitted.push(...run.sendMany(8));
    await run.time.advance(0);
    assert.deepEqual(run.refusals, [], 'the rest of this pass and one full batch: 400 ms');
    const refused = [run.send(), run.send('clearing')];
    await run.time.advance(0);
    assert.deepEqual(run.outcomes(refused), ['refused', 'refused']);
    assert.deepEqual(run.refusals, ['expected_wait', 'expected_wait']);
    await run.time.advance(600);
    assert.deepEqual(new Set(run.outcomes(admitted)), new Set(['decided']));
  });

  test('can be refused before it is read, while every lane would refuse it', async () => {
    const run = new Overload(always(200), { passes_at_once: 2, batch_max: 1 });
    for (const lane of [0, 1]) run.send('authorization', lane);
    await run.time.advance(100);
    for (const _ of [1, 2, 3]) run.send('authorization', 0);
    await run.time.advance(100);
    assert.equal(run.network.refuseUnread(), false, 'the other lane rests');
    for (const _ of [1, 2, 3, 4]) run.send('authorization', 1);
    await run.time.advance(0);
    assert.deepEqual(run.refusals, []);
    assert.equal(run.network.refuseUnread(), true);
    assert.deepEqual(run.refusals, ['expected_wait']);
    await run.time.advance(200);
    assert.equal(run.network.refuseUnread(), false);
  });

  test('is refused while a pass takes longer than a message may wait', async () => {
    const run = new Overload(always(10_000));
    const first = run.send();
    await run.time.advance(499);
    const second = run.send();
    await run.time.advance(1);
    const third = run.send();
    await run.time.advance(0);
    assert.deepEqual(run.outcomes([first, second, third]), ['waits', 'waits', 'refused']);
  });

  test('is not predicted from one slow pass among others', async () => {
    let ms = 400;
    const run = new Overload(() => ({ ms, fails: false }));
    run.send();
    await run.time.advance(400);
    ms = 20;
    run.send();
    await run.time.advance(20);
    const running = run.send();
    await run.time.advance(0);
    const burst = [running, ...run.sendMany(60)];
    await run.time.advance(400);
    assert.deepEqual(new Set(run.outcomes(burst)), new Set(['decided']));
  });
});

describe('a pass that gathers messages while others are refused', () => {
  test('begins after 50 ms, though the turn of the process does not end', async () => {
    const turns: (() => void)[] = [];
    const gather = () => new Promise<void>((end) => void turns.push(end));
    const run = new Overload(always(1), {}, gather);
    run.sendMany(4);
    await run.time.advance(50);
    run.network.hurry();
    await run.time.advance(0);
    assert.deepEqual(run.pass_sizes, []);
    await run.time.advance(1);
    run.network.hurry();
    await run.time.advance(1);
    assert.deepEqual(run.pass_sizes, [4]);
    run.send();
    await run.time.advance(1);
    run.network.hurry();
    await run.time.advance(1);
    assert.deepEqual(run.pass_sizes, [4], 'the next pass gathers for as long');
    turns.at(-1)!();
    await run.time.advance(1);
    assert.deepEqual(run.pass_sizes, [4, 1]);
  });
});

describe('a message that has waited too long', () => {
  test('is refused while the pass before it hangs, and never decided', async () => {
    let ms = 10_000;
    const run = new Overload(() => ({ ms, fails: false }));
    const in_pass = run.send();
    await run.time.advance(100);
    const behind = run.sendMany(6);
    await run.time.advance(499);
    assert.deepEqual(new Set(run.outcomes(behind)), new Set(['waits']));
    await run.time.advance(1);
    assert.deepEqual(new Set(run.outcomes(behind)), new Set(['refused']));
    assert.deepEqual(new Set(run.refusals), new Set(['waited']));
    ms = 1;
    await run.time.advance(10_000);
    assert.deepEqual(run.outcomes([in_pass]), ['decided']);
    assert.deepEqual(run.pass_sizes, [1], 'the pass that hung is the only one');
    assert.equal(run.world.counters.uses, 1);
    const later = run.send();
    await run.time.advance(1);
    assert.deepEqual(run.outcomes([later]), ['decided']);
  });

  test('is refused after a pass that blocked the process', async () => {
    const run = new Overload(always(1));
    const behind = run.sendMany(5);
    await run.time.advance(0);
    run.time.block(501);
    await run.time.advance(0);
    assert.deepEqual(run.outcomes(behind), ['decided', 'decided', 'decided', 'decided', 'refused']);
    assert.deepEqual(run.pass_sizes, [4]);
  });

  test('does not count the time in a pass that failed', async () => {
    let first = true;
    const run = new Overload(() => {
      const fails = first;
      first = false;
      return { ms: fails ? 4_000 : 1, fails };
    });
    const messages = run.sendMany(3);
    await run.time.advance(4_010);
    assert.deepEqual(run.outcomes(messages), ['decided', 'decided', 'decided']);
    assert.deepEqual(run.pass_sizes, [3, 1, 1, 1]);
  });

  test('is refused when the passes of the messages before it fail one after another', async () => {
    const run = new Overload(() => ({ ms: 200, fails: true }));
    const messages = run.sendMany(4);
    const behind = run.send();
    await run.time.advance(500);
    assert.deepEqual(run.outcomes([behind]), ['refused']);
    await run.time.advance(5_000);
    assert.deepEqual(new Set(run.outcomes(messages)), new Set(['refused']));
    assert.deepEqual(run.pass_sizes, [4, 1, 1, 1], 'the fourth waits for 500 ms after its pass');
  });
});

/** What happens in a run: messages arrive together, after some time. */
const bursts = fc.array(
  fc.record({
    after_ms: fc.oneof(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 900 })),
    count: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 30 })),
    kind: fc.constantFrom('authorization' as const, 'authorization' as const, 'clearing' as const),
  }),
  { minLength: 1, maxLength: 25 },
);

const passes = fc.array(
  fc.record({
    ms: fc.oneof(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 3_000 })),
    fails: fc.constantFrom(false, false, false, false, true),
  }),
  { minLength: 1, maxLength: 20 },
);

const layouts = fc.record({
  passes_at_once: fc.integer({ min: 1, max: 3 }),
  batch_max: fc.integer({ min: 1, max: 8 }),
  queue_max: fc.constantFrom(5, 10_000),
});

test('whatever the load, every message is decided or refused once, in time, and never both', async () => {
  const reached = new Set<string>();
  await fc.assert(
    fc.asyncProperty(bursts, passes, layouts, async (arriving, planned, layout) => {
      let pass_number = 0;
      const run = new Overload(() => planned[pass_number++ % planned.length]!, layout);
      for (const { after_ms, count, kind } of arriving) {
        await run.time.advance(after_ms);
        for (let sent = 0; sent < count; sent += 1) {
          run.send(kind, layout.passes_at_once === 1 ? undefined : sent % layout.passes_at_once);
        }
      }
      await run.time.advance(1_000_000);
      for (const { sent_ms, passes, answered } of run.sent) {
        assert.ok(answered !== null, 'accepted and refused messages together are all messages');
        let waited_ms = 0;
        let from_ms = sent_ms;
        for (const { begun_ms, ended_ms } of passes) {
          waited_ms += begun_ms - from_ms;
          from_ms = ended_ms ?? Number.NaN;
        }
        waited_ms += answered.at_ms - from_ms;
        assert.ok(waited_ms <= wait_ms_max, `a message waited for ${waited_ms} ms`);
        assert.ok(passes.length <= 2, 'a message is in one pass, and alone in a second one after a failure');
        assert.ok(answered.outcome === 'refused' || passes.length > 0);
        assert.ok(answered.at_ms >= from_ms, 'nothing is decided after it was refused');
        if (passes.length === 0) reached.add('refused without a pass');
        else reached.add(`${answered.outcome} after ${passes.length}`);
      }
      for (const reason of run.refusals) reached.add(reason);
      const { state, unknown_numbers } = run.world;
      const recorded = state.authorizations.size + state.clearings.size + [...unknown_numbers].length;
      assert.equal(recorded, run.outcomes().filter((outcome) => outcome === 'decided').length);
      await run.network.drain();
    }),
    propertyParameters({ short: 60, full: 180 }),
  );
  for (const outcome of ['full', 'expected_wait', 'waited', 'decided after 1', 'decided after 2', 'refused after 2']) {
    assert.ok(reached.has(outcome), `the runs reach: ${outcome}`);
  }
});
