import assert from 'node:assert/strict';
import { it } from 'node:test';
import { fixedClock, type UnitOfWork, Violation } from '@tallystick/kernel';
import { memoryPersistence } from '@tallystick/memory';
import { createRelay, type Delivery, type Outbox, type RelayOptions, type Webhook } from '../src/index.ts';

const webhook: Webhook = {
  id: 1,
  company_id: 1,
  callback_url: 'https://hooks.example/',
  event_type_ids: [1],
  status: 'active',
  secret_sealed: new Uint8Array(),
  previous_secret_sealed: null,
  previous_secret_until_ms: null,
  created_at_ms: 0,
};

/**
 * Events in memory to which one webhook subscribes, and a unit of work over them. A test can hold
 * it and make it fail.
 */
class WatchedOutbox implements UnitOfWork<{ readonly outbox: Outbox }> {
  readonly #persistence = memoryPersistence({ clock: fixedClock('2026-01-15T12:00:00Z') });
  transactions = 0;
  fails: Error | null = null;
  held: Promise<void> = Promise.resolve();
  /** Whether another relay holds the events, so that none is taken. */
  held_by_another = false;
  /** Called at the end of each transaction. */
  ended: () => void = () => {};

  constructor() {
    this.#persistence.committed().webhooks.set(webhook.id, webhook);
  }

  /** Commits this number of events of a company. */
  happen(count = 1, company_id = webhook.company_id): void {
    const { events, outbox } = this.#persistence.committed();
    for (let made = 0; made < count; made += 1) {
      const id = events.nextId();
      outbox.set(id, { id, company_id, event_type: 'virtualcard.created' });
    }
  }

  async run<Result>(work: (tx: { readonly outbox: Outbox }) => Promise<Result>): Promise<Result> {
    this.transactions += 1;
    await this.held;
    if (this.fails !== null) throw this.fails;
    const result = await this.#persistence.unitOfWork.run(({ outbox }) =>
      work({
        outbox: {
          ...outbox,
          take: async (limit) => (this.held_by_another ? { events: [], passed_over: true } : await outbox.take(limit)),
        },
      }),
    );
    this.ended();
    return result;
  }

  get deliveries(): readonly Delivery[] {
    return this.#persistence.committed().deliveries.values();
  }

  read(): Promise<never> {
    throw new Error('the relay only writes');
  }
}

function setUp(options: RelayOptions = {}) {
  const outbox = new WatchedOutbox();
  const offered: number[] = [];
  const faults: unknown[] = [];
  const pauses: { readonly ms: number; readonly end: () => void }[] = [];
  const relay = createRelay(
    {
      unitOfWork: outbox,
      queue: {
        async offer(offers) {
          offered.push(...offers.map(({ delivery_id }) => delivery_id));
        },
      },
      clock: fixedClock('2026-01-15T12:00:00Z'),
      pause: (ms) => new Promise((resolve) => pauses.push({ ms, end: resolve })),
      faulted: (error) => faults.push(error),
    },
    options,
  );
  return { outbox, offered, faults, pauses, relay };
}

/** Lets all pending callbacks run. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

it('nudges within the pause share one round, which relays all events committed meanwhile', async () => {
  const { outbox, offered, pauses, relay } = setUp({ gather_ms: 7 });
  for (let commit = 0; commit < 3; commit += 1) {
    outbox.happen();
    relay.nudge();
  }
  await turn();
  assert.deepEqual([outbox.transactions, pauses.map(({ ms }) => ms)], [0, [7]]);
  pauses[0]!.end();
  await turn();
  assert.deepEqual([outbox.transactions, offered], [1, [1, 2, 3]]);
});

it('gathers ten times as long after a batch whose events concern no webhook', async () => {
  const { outbox, pauses, relay } = setUp({ gather_ms: 7 });
  const gathered = async (happen: () => void): Promise<number> => {
    happen();
    relay.nudge();
    const { ms, end } = pauses.at(-1)!;
    end();
    await turn();
    return ms;
  };
  const concerned = () => outbox.happen();
  const unconcerned = () => outbox.happen(1, 2);
  assert.deepEqual(
    [await gathered(unconcerned), await gathered(unconcerned), await gathered(concerned), await gathered(concerned)],
    [7, 70, 70, 7],
  );
});

it('has no timer: without a nudge, and before the pause has ended, nothing is relayed', async () => {
  const { outbox, offered, pauses, relay } = setUp();
  outbox.happen();
  await turn();
  assert.deepEqual([outbox.transactions, pauses.length], [0, 0]);
  relay.nudge();
  await turn();
  assert.deepEqual([outbox.transactions, pauses.length], [0, 1]);
  pauses[0]!.end();
  await turn();
  assert.deepEqual([outbox.transactions, pauses.length, offered], [1, 1, [1]]);
});

it('a round takes batches, one transaction each, until one is not full', async () => {
  const { outbox, offered, relay } = setUp({ batch_max: 2 });
  outbox.happen(5);
  await relay.run();
  assert.deepEqual([outbox.transactions, offered], [3, [1, 2, 3, 4, 5]]);
  assert.deepEqual(
    outbox.deliveries.map(({ sequence }) => sequence),
    [1, 2, 3, 4, 5],
  );
});

it('calls during a round share the next one, and wait for its end', async () => {
  const { outbox, offered, relay } = setUp();
  const first = Promise.withResolvers<void>();
  outbox.held = first.promise;
  outbox.happen();
  const begun = relay.run();
  await turn();
  outbox.happen();
  let ended = 0;
  const shared = [relay.run(), relay.run(), relay.run()].map((run) => run.then(() => (ended += 1)));
  await turn();
  assert.deepEqual([outbox.transactions, ended], [1, 0]);
  first.resolve();
  await Promise.all([begun, ...shared]);
  assert.deepEqual([outbox.transactions, offered], [2, [1, 2]]);
});

it('a nudge during a round begins one more after its pause', async () => {
  const { outbox, offered, pauses, relay } = setUp();
  const first = Promise.withResolvers<void>();
  outbox.held = first.promise;
  const begun = relay.run();
  await turn();
  relay.nudge();
  first.resolve();
  await begun;
  outbox.happen();
  pauses[0]!.end();
  await turn();
  assert.deepEqual([outbox.transactions, offered], [2, [1]]);
});

it('a round that fails is reported, and the next nudge tries again', async () => {
  const { outbox, offered, faults, pauses, relay } = setUp();
  outbox.happen();
  outbox.fails = new Error('the database is away');
  relay.nudge();
  pauses[0]!.end();
  await turn();
  assert.deepEqual([faults, offered], [[outbox.fails], []]);
  outbox.fails = null;
  await turn();
  assert.equal(outbox.transactions, 1, 'it does not try again automatically');
  relay.nudge();
  pauses[1]!.end();
  await turn();
  assert.deepEqual([faults.length, offered], [1, [1]]);
});

it('a round that fails rejects for the callers of run, and is not reported elsewhere', async () => {
  const { outbox, offered, faults, relay } = setUp();
  outbox.happen();
  outbox.fails = new Error('the database is away');
  await assert.rejects(relay.run(), outbox.fails);
  outbox.fails = null;
  await relay.run();
  assert.deepEqual([faults, offered], [[], [1]]);
});

it('tries again after the pause when another relay held events, until none was passed over', async () => {
  const { outbox, offered, pauses, relay } = setUp();
  outbox.happen();
  outbox.held_by_another = true;
  await relay.run();
  assert.deepEqual([offered, pauses.length], [[], 1]);
  pauses[0]!.end();
  await turn();
  assert.deepEqual([outbox.transactions, offered, pauses.length], [2, [], 2]);
  outbox.held_by_another = false;
  pauses[1]!.end();
  await turn();
  assert.deepEqual([outbox.transactions, offered, pauses.length], [3, [1], 2]);
});

it('stopping ends the round after the transaction in progress, and begins no other', async () => {
  const { outbox, offered, pauses, relay } = setUp({ batch_max: 1 });
  const first = Promise.withResolvers<void>();
  outbox.held = first.promise;
  outbox.happen(3);
  const begun = relay.run();
  relay.nudge();
  await turn();
  let stopped = false;
  const stop = relay.stop().then(() => {
    stopped = true;
  });
  await turn();
  assert.equal(stopped, false);
  first.resolve();
  await Promise.all([begun, stop]);
  assert.deepEqual([outbox.transactions, offered], [1, [1]]);
  pauses[0]!.end();
  relay.nudge();
  await relay.run();
  await turn();
  assert.deepEqual([outbox.transactions, offered, pauses.length], [1, [1], 1]);
});

it('stops once: a second stop is a violation', async () => {
  const { relay } = setUp();
  await relay.stop();
  await assert.rejects(relay.stop(), Violation);
});

it('stops even if the current round fails, and the caller of the round receives the error', async () => {
  const { outbox, faults, relay } = setUp();
  const first = Promise.withResolvers<void>();
  outbox.held = first.promise;
  outbox.fails = new Error('the database is away');
  const begun = assert.rejects(relay.run(), outbox.fails);
  await turn();
  const stop = relay.stop();
  first.resolve();
  await Promise.all([begun, stop]);
  assert.deepEqual(faults, []);
});

it('relays what is committed at any moment before its caller receives the answer', async () => {
  for (let turns = 0; turns < 12; turns += 1) {
    const { relay, outbox } = setUp();
    let late: Promise<void> | null = null;
    outbox.ended = () => {
      late ??= (async () => {
        for (let waited = 0; waited < turns; waited += 1) await null;
        outbox.happen();
        await relay.run();
      })();
    };
    outbox.happen();
    await relay.run();
    await late;
    assert.equal(outbox.deliveries.length, 2, `${turns} turns after the transaction`);
  }
});

it('a pause that fails is reported, and the next nudge begins another', async () => {
  const faults: unknown[] = [];
  const outbox = new WatchedOutbox();
  let pauses = 0;
  const relay = createRelay({
    unitOfWork: outbox,
    queue: { offer: async () => {} },
    clock: fixedClock('2026-01-15T12:00:00Z'),
    pause: async () => {
      pauses += 1;
      if (pauses === 1) throw new Error('no timer');
    },
    faulted: (error) => faults.push(error),
  });
  outbox.happen();
  relay.nudge();
  await turn();
  relay.nudge();
  await turn();
  assert.deepEqual([faults.length, outbox.deliveries.length], [1, 1]);
});
