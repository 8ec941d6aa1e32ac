import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Fault, Violation } from '@tallystick/kernel';
import { createNetwork, type Fold, type Ledger, type Lookup, type OverloadReason } from '../../src/index.ts';
import { itemOf, NetworkWorld, plain_quarantine, vault } from '../network-world.ts';

const now = '2026-11-21T12:00:00Z';

/** A ledger in front of the real one, which can be made to wait and to fail. */
function gated(world: NetworkWorld) {
  let opening = Promise.withResolvers<void>();
  let fails = (_messages: readonly Lookup[]): unknown => null;
  let fails_after_commit = false;
  const begun: number[] = [];
  const committed: number[] = [];
  const ledger: Ledger = {
    async pass<Result>(messages: readonly Lookup[], fold: Fold<Result>): Promise<Result> {
      begun.push(messages.length);
      await opening.promise;
      const error = fails(messages);
      if (error !== null && !fails_after_commit) throw error;
      const result = await world.ledger.pass(messages, fold);
      committed.push(messages.length);
      if (error !== null) throw error;
      return result;
    },
    passDue: (limit, fold) => world.ledger.passDue(limit, fold),
  };
  return {
    ledger,
    begun,
    committed,
    open: () => opening.resolve(),
    close: () => {
      opening = Promise.withResolvers<void>();
    },
    failWhen(when: (messages: readonly Lookup[]) => unknown, options = { after_commit: false }) {
      fails = when;
      fails_after_commit = options.after_commit;
    },
  };
}

function setUp(options: { batch_max?: number; queue_max?: number } = {}) {
  const world = new NetworkWorld(now);
  const gate = gated(world);
  const faults: unknown[] = [];
  const { ledger } = gate;
  const refusals: OverloadReason[] = [];
  const network = createNetwork({
    ledger,
    vault,
    random: world.random,
    ...plain_quarantine,
    onFault: (error) => faults.push(error),
    onOverload: (reason) => refusals.push(reason),
    ...options,
  });
  return { world, gate, network, faults, refusals };
}

/** Lets every pending continuation run. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('the queue before the ledger', () => {
  test('sends a single message immediately, and messages that arrive meanwhile together', async () => {
    const { world, gate, network } = setUp();
    const first = network.authorize(world.message());
    await settled();
    const others = [1, 2, 3].map(() => network.authorize(world.message()));
    await settled();
    assert.deepEqual(gate.begun, [1]);
    gate.open();
    await Promise.all([first, ...others]);
    assert.deepEqual(gate.committed, [1, 3]);
  });

  test('takes messages of one turn of the event loop together', async () => {
    const { world, gate, network } = setUp();
    gate.open();
    await Promise.all([1, 2, 3].map(() => network.authorize(world.message())));
    assert.deepEqual(gate.committed, [3]);
  });

  test('takes messages that arrive while the ledger gathers into the same pass', async () => {
    const world = new NetworkWorld(now);
    const gate = gated(world);
    gate.open();
    const turn = Promise.withResolvers<void>();
    const network = createNetwork({
      ledger: { ...gate.ledger, gather: () => turn.promise },
      vault,
      random: world.random,
      ...plain_quarantine,
    });
    const first = network.authorize(world.message());
    await settled();
    assert.deepEqual(gate.begun, []);
    const second = network.authorize(world.message());
    turn.resolve();
    await Promise.all([first, second]);
    assert.deepEqual(gate.begun, [2]);
  });

  test('runs as many passes at the same time as the ledger allows, and passes about one number one after another', async () => {
    const world = new NetworkWorld(now);
    const gate = gated(world);
    const ledger: Ledger = { ...gate.ledger, passes_at_once: 2 };
    const network = createNetwork({ ledger, vault, random: world.random, ...plain_quarantine });
    const about = (first_byte: number) => ({ ...world.message(), number_index: new Uint8Array([first_byte, 7]) });
    const answers = [2, 3].map((first_byte) => network.authorize(about(first_byte)));
    await settled();
    assert.deepEqual(gate.begun, [1, 1], 'two numbers, two passes in progress');
    answers.push(...[2, 2, 3].map((first_byte) => network.authorize(about(first_byte))));
    await settled();
    assert.deepEqual(gate.begun, [1, 1], 'later messages wait for the previous pass');
    let drained = false;
    const drain = network.drain().then(() => {
      drained = true;
    });
    await settled();
    assert.equal(drained, false);
    gate.open();
    await Promise.all([...answers, drain]);
    assert.deepEqual(gate.begun.toSorted(), [1, 1, 1, 2]);
  });

  test('never sends more than batch_max in one pass', async () => {
    const { world, gate, network } = setUp({ batch_max: 4 });
    gate.open();
    await Promise.all(Array.from({ length: 10 }, () => network.authorize(world.message())));
    assert.deepEqual(gate.committed, [4, 4, 2]);
  });

  test('answers each caller with the answer to its own message, after the commit', async () => {
    const { world, gate, network } = setUp();
    const messages = [100, 200_000, 300].map((billing_amount) => world.message({ billing_amount }));
    const clearing = world.clearingMessage({ billing_amount: 50 });
    const answers = [...messages.map((message) => network.authorize(message)), network.clear(clearing)] as const;
    let answered = 0;
    for (const answer of answers) answer.then(() => answered++);
    await settled();
    assert.equal(answered, 0);
    gate.open();
    const items = (await Promise.all(answers)).map((answer) => itemOf(answer));
    assert.deepEqual(
      items.map(({ billing_amount }) => billing_amount),
      [100, 200_000, 300, 50],
    );
    assert.deepEqual([world.counters.held, world.counters.cleared], [400, 50]);
  });

  test('is bounded: further messages fail immediately with a fault and are reported, and the others do not fail', async () => {
    const { world, gate, network, faults, refusals } = setUp({ queue_max: 2 });
    const running = network.authorize(world.message());
    await settled();
    const waiting = [network.authorize(world.message()), network.authorize(world.message())];
    const refused = await network.authorize(world.message());
    assert.equal(refused.kind === 'answered' && refused.fault, true);
    assert.deepEqual(refusals, ['full']);
    await assert.rejects(network.clear(world.clearingMessage()), Fault);
    assert.deepEqual(refusals, ['full', 'full']);
    assert.equal(network.refuseUnread(), true, 'a message that is not read yet is refused, too');
    assert.equal(refusals.length, 3);
    gate.open();
    for (const answer of await Promise.all([running, ...waiting])) assert.equal(itemOf(answer).status, 'open');
    assert.equal(world.counters.uses, 3);
    assert.deepEqual([refusals.length, faults], [3, []], 'no pass failed');
    assert.equal(network.refuseUnread(), false);
  });
});

describe('a pass that fails', () => {
  test('is tried again one by one: a message that fails the pass fails alone', async () => {
    const { world, gate, network, faults } = setUp();
    const poison = world.message();
    gate.failWhen((messages) => (messages.includes(poison) ? new Violation('poison') : null));
    gate.open();
    const [before, itself, after] = await Promise.all([
      network.authorize(world.message()),
      network.authorize(poison),
      network.authorize(world.message()),
    ]);
    assert.deepEqual([itemOf(before).status, itemOf(after).status], ['open', 'open']);
    assert.deepEqual(itself, {
      kind: 'answered',
      item: itemOf(itself),
      code: 'U',
      response_code: '96',
      vcn_response: 'Unable to process',
      issuer_response: 'Declined',
      approval_code: null,
      duplicate: false,
      fault: true,
    });
    assert.deepEqual([itemOf(itself).id, itemOf(itself).card_number], [null, '************0001']);
    assert.equal(world.counters.uses, 2);
    assert.equal(faults.length, 2, 'the fault of the pass, and the fault of the message alone');
  });

  test('records nothing as approved, and a later copy of the message is decided', async () => {
    const { world, gate, network } = setUp();
    const message = world.message();
    gate.failWhen(() => new Fault('disk full', { retryable: true }));
    gate.open();
    const answer = await network.authorize(message);
    assert.equal(answer.kind === 'answered' && answer.fault, true);
    assert.equal(world.state.authorizations.size, 0);
    gate.failWhen(() => null);
    assert.equal(itemOf(await network.authorize(message)).status, 'open');
  });

  test('after its commit returns the committed outcome to a repeated message', async () => {
    const { world, gate, network } = setUp();
    const message = world.message();
    gate.failWhen(() => new Fault('connection lost', { retryable: true }), { after_commit: true });
    gate.open();
    await network.authorize(message);
    gate.failWhen(() => null);
    const again = await network.authorize(message);
    assert.equal(again.kind === 'answered' && again.duplicate, true);
    assert.equal(itemOf(again).response_code, '00');
    assert.equal(world.counters.uses, 1);
  });

  test('rejects a clearing with the fault, and a later copy of the clearing is recorded', async () => {
    const { world, gate, network } = setUp();
    const message = world.clearingMessage();
    gate.failWhen(() => new Fault('disk full', { retryable: true }));
    gate.open();
    await assert.rejects(network.clear(message), /disk full/);
    gate.failWhen(() => null);
    assert.equal(itemOf(await network.clear(message)).class, 'force_post');
  });

  test('does not prevent the pass of later messages', async () => {
    const { world, gate, network } = setUp();
    gate.failWhen(() => new Fault('disk full', { retryable: true }));
    gate.open();
    await network.authorize(world.message());
    gate.failWhen(() => null);
    assert.equal(itemOf(await network.authorize(world.message())).status, 'open');
  });
});

describe('draining', () => {
  test('answers the messages in flight, takes no more, and then resolves', async () => {
    const { world, gate, network, refusals } = setUp({ batch_max: 1 });
    const taken = [1, 2].map(() => network.authorize(world.message()));
    let done = false;
    const drained = network.drain().then(() => {
      done = true;
    });
    const late = await network.authorize(world.message());
    assert.equal(late.kind === 'answered' && late.fault, true);
    await assert.rejects(network.clear(world.clearingMessage()), Fault);
    assert.deepEqual(refusals, [], 'the network is closing, and not full');
    assert.equal(network.refuseUnread(), false);
    await settled();
    assert.equal(done, false);
    gate.open();
    await drained;
    for (const answer of await Promise.all(taken)) assert.equal(itemOf(answer).status, 'open');
    assert.deepEqual(gate.committed, [1, 1]);
  });

  test('resolves immediately when nothing is in flight', async () => {
    await setUp().network.drain();
  });

  test('is allowed once: a second call is a violation, during it and after it', async () => {
    const { network } = setUp();
    const drained = network.drain();
    await assert.rejects(network.drain(), Violation);
    await drained;
    await assert.rejects(network.drain(), Violation);
  });

  test('is final: a later message fails with a fault, and no pass begins', async () => {
    const { world, gate, network } = setUp();
    gate.open();
    await network.drain();
    const late = await network.authorize(world.message());
    assert.equal(late.kind === 'answered' && late.fault, true);
    await assert.rejects(network.clear(world.clearingMessage()), Fault);
    await settled();
    assert.deepEqual(gate.begun, []);
  });
});
