import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Refusal, UnusableTransaction } from '@tallystick/kernel';
import type { Event, SubscriptionHandler } from '../src/index.ts';
import { SubscriberWorld } from './subscriber-world.ts';

/** A handler that keeps the ids of the events that it receives. */
function recording(): { readonly calls: (readonly number[])[]; readonly handler: SubscriptionHandler } {
  const calls: (readonly number[])[] = [];
  return {
    calls,
    async handler(events) {
      calls.push(events.map(({ id }) => id));
    },
  };
}

const idsOf = (events: readonly Event[]): readonly number[] => events.map(({ id }) => id);

describe('a subscription', () => {
  it('receives every matching event in the order of the log, at most 100 at a time', async () => {
    const world = new SubscriberWorld();
    const { subscriber } = world.process();
    const { calls, handler } = recording();
    await subscriber.subscribe('ledger', ['virtualcard.created', 'virtualcard.deleted'], handler);
    subscriber.start();
    const ids = [...(await world.happen(150)), ...(await world.happen(1, 'virtualcard.deleted'))];
    await world.happen(1, 'virtualcard.clearings');
    subscriber.nudge();
    await world.until(() => calls.flat().length === ids.length);
    assert.deepEqual(calls, [ids.slice(0, 100), ids.slice(100)]);
    await subscriber.stop();
  });

  it('receives what each nudge tells of within 5 ms, and so does a listener, however long nothing happened', async () => {
    const world = new SubscriberWorld();
    const { subscriber } = world.process();
    const { calls, handler } = recording();
    const heard: number[] = [];
    await subscriber.subscribe('ledger', ['all'], handler);
    subscriber.on(['all'], ({ id }) => heard.push(id));
    subscriber.start();
    const ids: number[] = [];
    for (const nudges of [1, 2, 1]) {
      await world.pass(10_000);
      ids.push(...(await world.happen(1)));
      for (let nudge = 0; nudge < nudges; nudge += 1) subscriber.nudge();
      await world.pass(5);
      assert.deepEqual([calls.flat(), heard], [ids, ids]);
    }
    await subscriber.stop();
  });

  it('starts now with a new name, at the oldest event when asked, and where it was with a known name', async () => {
    const world = new SubscriberWorld();
    const before = await world.happen(2);
    const first = world.process();
    const [now, beginning] = [recording(), recording()];
    await first.subscriber.subscribe('now', ['all'], now.handler);
    await first.subscriber.subscribe('beginning', ['all'], beginning.handler, { from: 'beginning' });
    first.subscriber.start();
    const between = await world.happen(2);
    await world.until(() => beginning.calls.flat().length === 4);
    await world.until(() => now.calls.flat().length === 2);
    assert.deepEqual(beginning.calls.flat(), [...before, ...between]);
    assert.deepEqual(now.calls.flat(), between);
    await first.subscriber.stop();
    const later = await world.happen(1);
    const second = world.process();
    const again = recording();
    await second.subscriber.subscribe('now', ['all'], again.handler, { from: 'beginning' });
    second.subscriber.start();
    await world.until(() => again.calls.length > 0);
    assert.deepEqual(again.calls, [later]);
    await second.subscriber.stop();
  });

  it('receives only events of its company, when it has one', async () => {
    const world = new SubscriberWorld();
    const { subscriber } = world.process();
    const { calls, handler } = recording();
    await subscriber.subscribe('ledger', ['all'], handler, { company_id: 7 });
    subscriber.start();
    await world.happen(2);
    const own = await world.happen(1, 'virtualcard.created', 7);
    await world.until(() => calls.length > 0);
    assert.deepEqual(calls, [own]);
    await subscriber.stop();
  });

  it('receives an event under the name that it asked for', async () => {
    const world = new SubscriberWorld();
    const { subscriber } = world.process();
    const types: string[] = [];
    const handler: SubscriptionHandler = async (events) => {
      types.push(...events.map(({ event_type }) => event_type));
    };
    await subscriber.subscribe('second', ['virtualcard.realtime.iccp.all'], handler);
    await subscriber.subscribe('stored', ['virtualcard.realtime.auths'], handler);
    subscriber.start();
    await world.happen(1, 'virtualcard.realtime.auths');
    await world.until(() => types.length === 2);
    assert.deepEqual(types.sort(), ['virtualcard.realtime.auths', 'virtualcard.realtime.iccp.all']);
    await subscriber.stop();
  });

  it('commits what the handler writes exactly once, also when calls of it fail', async () => {
    const world = new SubscriberWorld();
    const { subscriber, failures } = world.process();
    let calls = 0;
    await subscriber.subscribe('ledger', ['all'], async (events, tx) => {
      calls += 1;
      for (const { id } of events) await world.effect(tx, `event ${id}`);
      if (calls <= 2) throw new Error(`call ${calls}`);
    });
    subscriber.start();
    const ids = await world.happen(8);
    await world.until(() => world.effects.length === ids.length);
    assert.deepEqual(
      world.effects,
      ids.map((id) => `event ${id}`),
    );
    assert.deepEqual(
      failures.map(({ error, failures: count, retry_in_ms, events }) => [String(error), count, retry_in_ms, events]),
      [
        ['Error: call 1', 1, 100, { first_id: ids[0], last_id: ids[7], count: 8 }],
        ['Error: call 2', 2, 200, { first_id: ids[0], last_id: ids[3], count: 4 }],
      ],
    );
    await subscriber.stop();
  });

  it('stops at an event that cannot be handled, after the events before it, and never passes over it', async () => {
    const world = new SubscriberWorld();
    const { subscriber, failures } = world.process();
    const ids = await world.happen(10);
    const poison = ids[6]!;
    let is_cured = false;
    const handled: number[] = [];
    await subscriber.subscribe(
      'ledger',
      ['all'],
      async (events) => {
        if (!is_cured && idsOf(events).includes(poison)) throw new Error('poison');
        handled.push(...idsOf(events));
      },
      { from: 'beginning' },
    );
    subscriber.start();
    await world.until(() => failures.length === 14);
    assert.deepEqual(handled, ids.slice(0, 6));
    assert.deepEqual(failures.at(-1)?.events, { first_id: poison, last_id: poison, count: 1 });
    assert.equal(failures.at(-1)?.retry_in_ms, 30_000);
    const [{ waiting, oldest_at_ms } = {}] = await subscriber.list();
    assert.deepEqual([waiting, oldest_at_ms !== null], [4, true]);
    is_cured = true;
    await world.until(() => handled.length === ids.length);
    assert.deepEqual(handled, ids);
    await subscriber.stop();
  });

  it('loses its transaction 5 s after it began, and has its events again once the handler has ended', async () => {
    const world = new SubscriberWorld();
    const { subscriber, failures } = world.process();
    const released = Promise.withResolvers<void>();
    const late_errors: unknown[] = [];
    let calls = 0;
    await subscriber.subscribe('ledger', ['all'], async (_events, tx) => {
      calls += 1;
      await world.effect(tx, `call ${calls}`);
      if (calls > 1) return;
      await released.promise;
      await tx.query('select 1').catch((error: unknown) => late_errors.push(error));
    });
    subscriber.start();
    await world.happen();
    await world.until(() => calls === 1);
    await world.pass(4_900);
    assert.equal(failures.length, 0);
    await world.pass(60_000);
    assert.equal(calls, 1, 'two calls overlap');
    assert.deepEqual(world.effects, []);
    // Another writer is not stopped by the handler.
    await world.happen();
    released.resolve();
    await world.until(() => world.effects.length === 2);
    assert.match(String(failures[0]?.error), /rolled back 5 seconds after it began/);
    assert.ok(late_errors[0] instanceof UnusableTransaction);
    assert.deepEqual(world.effects, ['call 2', 'call 3']);
    await subscriber.stop();
  });

  it('refuses the transaction after the handler has ended', async () => {
    const world = new SubscriberWorld();
    const { subscriber } = world.process();
    const kept: Parameters<SubscriptionHandler>[1][] = [];
    await subscriber.subscribe('ledger', ['all'], async (_events, tx) => {
      kept.push(tx);
      await world.effect(tx, 'one');
    });
    subscriber.start();
    await world.happen();
    await world.until(() => world.effects.length === 1);
    await assert.rejects(kept[0]!.query('select 1'), UnusableTransaction);
    await assert.rejects(kept[0]!.native(), UnusableTransaction);
    await subscriber.stop();
  });
});

describe('two processes with one subscription', () => {
  it('work one at a time, and the other takes over at once after a stop', async () => {
    const world = new SubscriberWorld();
    const [one, two] = [world.process(), world.process()];
    const [first, second] = [recording(), recording()];
    await one.subscriber.subscribe('ledger', ['all'], first.handler);
    await two.subscriber.subscribe('ledger', ['all'], second.handler);
    one.subscriber.start();
    await world.quiet();
    two.subscriber.start();
    const ids = await world.happen(3);
    await world.until(() => first.calls.flat().length === 3);
    await world.pass(20_000);
    assert.deepEqual(second.calls, []);
    await one.subscriber.stop();
    const stopped_ms = world.elapsed_ms;
    const later = await world.happen(2);
    await world.until(() => second.calls.flat().length === 2);
    assert.ok(world.elapsed_ms - stopped_ms <= 1_000);
    assert.deepEqual([...first.calls.flat(), ...second.calls.flat()], [...ids, ...later]);
    await two.subscriber.stop();
  });

  it('replace one that died within 7 s, and what it had not committed is handled once', async () => {
    const world = new SubscriberWorld();
    const [one, two] = [world.process(), world.process()];
    await one.subscriber.subscribe('ledger', ['all'], () => new Promise(() => {}));
    await two.subscriber.subscribe('ledger', ['all'], async (events, tx) => {
      for (const { id } of events) await world.effect(tx, `event ${id}`);
    });
    one.subscriber.start();
    await world.happen(1);
    await world.pass(100);
    one.die();
    two.subscriber.start();
    const died_ms = world.elapsed_ms;
    await world.until(() => world.effects.length > 0);
    assert.ok(world.elapsed_ms - died_ms <= 7_000, `after ${world.elapsed_ms - died_ms} ms`);
    assert.deepEqual(world.effects, ['event 1']);
    await two.subscriber.stop();
  });

  it('commit once when the first dies after its handler and before its position has moved', async () => {
    const world = new SubscriberWorld();
    const [one, two] = [world.process(), world.process()];
    await one.subscriber.subscribe('ledger', ['all'], async (events, tx) => {
      for (const { id } of events) await world.effect(tx, `event ${id}`);
      one.die();
    });
    await two.subscriber.subscribe('ledger', ['all'], async (events, tx) => {
      for (const { id } of events) await world.effect(tx, `event ${id}`);
    });
    one.subscriber.start();
    const ids = await world.happen(2);
    await world.pass(1_000);
    two.subscriber.start();
    await world.until(() => world.effects.length >= ids.length);
    await world.pass(10_000);
    assert.deepEqual(
      world.effects,
      ids.map((id) => `event ${id}`),
    );
    await two.subscriber.stop();
  });

  it('do not take over from a handler that takes long without a transaction', async () => {
    const world = new SubscriberWorld();
    const [one, two] = [world.process(), world.process()];
    const released = Promise.withResolvers<void>();
    const [first, second] = [recording(), recording()];
    await one.subscriber.subscribe('ledger', ['all'], async (events, tx) => {
      await released.promise;
      await first.handler(events, tx);
    });
    await two.subscriber.subscribe('ledger', ['all'], second.handler);
    one.subscriber.start();
    await world.quiet();
    two.subscriber.start();
    await world.happen(1);
    await world.pass(120_000);
    assert.deepEqual(second.calls, []);
    released.resolve();
    await world.until(() => first.calls.length === 1);
    await world.pass(5_000);
    assert.deepEqual(second.calls, []);
    await Promise.all([one.subscriber.stop(), two.subscriber.stop()]);
  });

  it('commit once when the first was paused beyond its lease', async () => {
    const world = new SubscriberWorld();
    const one = world.process();
    const released = Promise.withResolvers<void>();
    let calls = 0;
    await one.subscriber.subscribe('ledger', ['all'], async (events, tx) => {
      calls += 1;
      if (calls === 1) await released.promise;
      for (const { id } of events) await world.effect(tx, `by one: ${id}`);
    });
    one.subscriber.start();
    const [id] = await world.happen(1);
    await world.until(() => calls === 1);
    // The other process sees a lease that has expired, and handles the event.
    const filter = { event_types: null, company_id: null };
    const far_ms = Number.MAX_SAFE_INTEGER - 10;
    const lease = { token: 'two', machine_ms: far_ms, until_machine_ms: far_ms + 5 };
    await world.persistence.unitOfWork.run(async ({ subscriptions }) => {
      assert.notEqual(await subscriptions.claim('ledger', filter, lease), null);
      assert.equal(await subscriptions.advance('ledger', lease, { from_id: id! - 1, to_id: id! }), true);
    });
    released.resolve();
    await world.pass(1_000);
    assert.deepEqual(world.effects, []);
    assert.deepEqual(one.failures, []);
    await one.subscriber.stop();
  });
});

describe('a thousand subscriptions of a process', () => {
  const count = 1_000;

  async function started(handler: (name: string) => SubscriptionHandler) {
    const world = new SubscriberWorld();
    const process = world.process();
    for (let place = 0; place < count; place += 1) {
      const name = `subscription-${place}`;
      const company_id = place % 2 === 0 ? {} : { company_id: 7 };
      await process.subscriber.subscribe(name, ['virtualcard.created'], handler(name), company_id);
    }
    const reset = () => Object.assign(process, { writes: 0, reads: 0, looks: 0 });
    reset();
    process.subscriber.start();
    await world.pass(3_000);
    assert.ok(process.writes <= 15, `${process.writes} transactions to own them`);
    reset();
    return { world, process };
  }

  it('look at an idle log once in a second, and extend their leases in one transaction', async () => {
    const { world, process } = await started(() => async () => {});
    await world.pass(60_000);
    const { looks, writes, reads } = process;
    assert.ok(looks <= 95, `${looks} looks in a minute`);
    assert.ok(writes <= 31, `${writes} transactions that write in a minute`);
    assert.equal(reads, 0);
    await process.subscriber.stop();
    assert.deepEqual(process.failures, []);
  });

  it('receive an event fifty at a time, in one read and one transaction, each an event of its own', async () => {
    const calls = new Map<string, Event>();
    let turn = 0;
    const calls_of_turn = new Map<number, number>();
    const { world, process } = await started((name) => async ([event]) => {
      calls_of_turn.set(turn, (calls_of_turn.get(turn) ?? 0) + 1);
      Object.assign(event!.payload, { seen_by: name });
      calls.set(name, event!);
    });
    let is_over = false;
    const countTurn = (): void => {
      turn += 1;
      if (!is_over) setImmediate(countTurn);
    };
    countTurn();
    await world.happen(1, 'virtualcard.created', 7);
    process.subscriber.nudge();
    await world.until(() => calls.size === count);
    await world.quiet();
    is_over = true;
    assert.ok(Math.max(...calls_of_turn.values()) <= 50, 'the calls in one turn of the event loop');
    assert.ok(process.reads <= 21, `${process.reads} reads`);
    assert.ok(process.writes <= 22, `${process.writes} transactions that write`);
    for (const [name, event] of calls) assert.deepEqual(event.payload, { id: 0, seen_by: name });
    await world.happen(1, 'virtualcard.created', 8);
    calls.clear();
    process.subscriber.nudge();
    await world.until(() => calls.size === count / 2);
    await process.subscriber.stop();
    assert.deepEqual(process.failures, []);
  });

  it('of another process are watched with one read in a second', async () => {
    const { world, process: owner } = await started(() => async () => {});
    const process = world.process();
    for (let place = 0; place < count; place += 1) {
      await process.subscriber.subscribe(`subscription-${place}`, ['all'], async () => {});
    }
    process.subscriber.start();
    await world.quiet();
    process.reads = 0;
    process.writes = 0;
    await world.pass(10_000);
    assert.ok(process.reads <= 11, `${process.reads} reads in ten seconds`);
    assert.equal(process.writes, 0);
    await Promise.all([owner.subscriber.stop(), process.subscriber.stop()]);
  });
});

describe('a subscriber without matching events', () => {
  it('writes no more than its lease, also while the position moves over other events', async () => {
    const world = new SubscriberWorld();
    const process = world.process();
    const { calls, handler } = recording();
    await process.subscriber.subscribe('rare', ['virtualcard.deleted'], handler);
    process.subscriber.start();
    await world.quiet();
    process.writes = 0;
    for (let second = 0; second < 60; second += 1) {
      await world.happen(1);
      process.subscriber.nudge();
      await world.pass(1_000);
    }
    assert.ok(process.writes <= 31, `${process.writes} transactions that write in a minute`);
    assert.deepEqual(calls, []);
    const [{ ids_behind, waiting } = {}] = await process.subscriber.list();
    assert.ok(ids_behind! <= 3 && waiting === 0, `${ids_behind} ids behind`);
    await process.subscriber.stop();
    const [stopped] = await process.subscriber.list();
    assert.deepEqual([stopped?.ids_behind, stopped?.is_owned], [0, false]);
  });
});

describe('the removal of a subscription', () => {
  it('ends it in every process, and the name starts again', async () => {
    const world = new SubscriberWorld();
    const [one, two] = [world.process(), world.process()];
    const { calls, handler } = recording();
    await one.subscriber.subscribe('ledger', ['all'], handler);
    one.subscriber.start();
    await world.happen(1);
    await world.until(() => calls.length === 1);
    assert.equal(await two.subscriber.unsubscribe('ledger'), true);
    assert.equal(await two.subscriber.unsubscribe('ledger'), false);
    await world.until(() => one.removed.length === 1);
    assert.deepEqual(one.removed, ['ledger']);
    await world.happen(2);
    await world.pass(10_000);
    assert.equal(calls.length, 1);
    assert.deepEqual(await one.subscriber.list(), []);
    await one.subscriber.subscribe('ledger', ['all'], handler);
    const [id] = await world.happen(1);
    await world.until(() => calls.length === 2);
    assert.deepEqual(calls[1], [id]);
    assert.equal(await one.subscriber.unsubscribe('ledger'), true);
    await one.subscriber.subscribe('ledger', ['all'], handler, { from: 'beginning' });
    await world.until(() => calls.length === 3);
    assert.equal(calls[2]?.length, 4);
    await one.subscriber.stop();
  });
});

describe('the stop of a subscriber', () => {
  it('leaves no timer behind, in the owner or in a process that waits for it', async () => {
    const world = new SubscriberWorld();
    const [owner, other] = [world.process(), world.process()];
    for (const { subscriber } of [owner, other]) {
      for (const name of ['one', 'two']) await subscriber.subscribe(name, ['all'], async () => {});
      subscriber.start();
      await world.pass(2_500);
    }
    await Promise.all([other.subscriber.stop(), owner.subscriber.stop()]);
    await world.quiet();
    assert.equal(world.timers_left, 0);
  });

  it('waits for the handler that runs, and its work is committed', async () => {
    const world = new SubscriberWorld();
    const { subscriber } = world.process();
    const released = Promise.withResolvers<void>();
    let is_running = false;
    await subscriber.subscribe('ledger', ['all'], async (_events, tx) => {
      is_running = true;
      await released.promise;
      await world.effect(tx, 'done');
    });
    subscriber.start();
    await world.happen();
    await world.until(() => is_running);
    const stopping = subscriber.stop();
    await world.pass(4_000);
    released.resolve();
    await stopping;
    assert.deepEqual(world.effects, ['done']);
    await assert.rejects(
      subscriber.subscribe('more', ['all'], async () => {}),
      /was stopped/,
    );
  });

  it('rolls back the transaction of a handler that does not end within 5 s', async () => {
    const world = new SubscriberWorld();
    const { subscriber } = world.process();
    let is_running = false;
    await subscriber.subscribe('ledger', ['all'], async (_events, tx) => {
      await world.effect(tx, 'never');
      is_running = true;
      await new Promise(() => {});
    });
    subscriber.start();
    await world.happen();
    await world.until(() => is_running);
    let is_stopped = false;
    void subscriber.stop().then(() => {
      is_stopped = true;
    });
    await world.until(() => is_stopped);
    assert.ok(world.elapsed_ms <= 6_000);
    assert.deepEqual(world.effects, []);
    await world.happen();
    const [{ waiting, is_owned } = {}] = await subscriber.list();
    assert.deepEqual([waiting, is_owned], [2, false]);
  });
});

describe('a listener', () => {
  it('receives events from now on, and its errors do not stop the others', async () => {
    const world = new SubscriberWorld();
    const { subscriber, listener_errors } = world.process();
    subscriber.start();
    await world.happen(2);
    const seen: number[] = [];
    subscriber.on(['all'], () => {
      throw new Error('a bug of the listener');
    });
    const off = subscriber.on(['virtualcard.created'], ({ id }) => seen.push(id));
    await world.quiet();
    const ids = await world.happen(2);
    await world.happen(1, 'virtualcard.deleted');
    await world.until(() => listener_errors.length === 3);
    assert.deepEqual(seen, ids);
    off();
    await world.happen(1);
    await world.until(() => listener_errors.length === 4);
    assert.deepEqual(seen, ids);
    await subscriber.stop();
    assert.deepEqual(await subscriber.list(), []);
  });
});

describe('a listener that is more than 10,000 ids behind', () => {
  it('loses what is between, and a subscription does not', async () => {
    const world = new SubscriberWorld();
    const { subscriber } = world.process();
    const { calls, handler } = recording();
    await subscriber.subscribe('ledger', ['all'], handler);
    subscriber.start();
    const seen: number[] = [];
    subscriber.on(['all'], ({ id }) => seen.push(id));
    await world.quiet();
    const ids = await world.happen(10_050);
    await world.until(() => calls.flat().length === ids.length && seen.length >= 10_000);
    assert.deepEqual(seen, ids.slice(50));
    await subscriber.stop();
  });
});

it('a subscription takes the id of its company as a text too', async () => {
  const { subscriber } = new SubscriberWorld().process();
  await subscriber.subscribe('ledger', ['all'], async () => {}, { company_id: '7' });
  assert.equal((await subscriber.list())[0]?.company_id, 7);
});

describe('a subscription that cannot be made', () => {
  const refuses = (title: string, message: RegExp, ...args: unknown[]) =>
    it(title, async () => {
      const { subscriber } = new SubscriberWorld().process();
      const [name = 'ledger', types = ['all'], handler = async () => {}, options = {}] = args;
      const subscribing = subscriber.subscribe(name as never, types as never, handler as never, options as never);
      await assert.rejects(subscribing, (error) => error instanceof Refusal && message.test(error.message));
      assert.deepEqual(await subscriber.list(), []);
    });

  refuses('names an unknown type, with the nearest one', /"virtualcard.clearing".*"virtualcard.clearings"/, 'a', [
    'virtualcard.clearing',
  ]);
  refuses('names no type', /at least one event type/, 'a', []);
  refuses('names a type as text', /at least one event type/, 'a', 'all');
  refuses('has a name with a space', /1 to 100 letters/, 'a b');
  refuses('has no handler', /handler must be a function/, 'a', ['all'], null);
  refuses('starts at an unknown place', /"now" or "beginning"/, 'a', ['all'], async () => {}, { from: 'end' });

  const withOptions = (title: string, message: RegExp, options: unknown) =>
    refuses(title, message, 'a', ['all'], async () => {}, options);
  withOptions('has an unknown option', /^form is no option; use from$/, { form: 'beginning' });
  withOptions('has null in place of options', /^options must be an object, not null$/, null);
  withOptions('has a text in place of options', /^options must be an object, not "now"$/, 'now');
  withOptions('is of a company without an id', /^company_id must be an id/, { company_id: 'x' });
  withOptions('is of a negative company', /^company_id must be an id/, { company_id: -1 });
  withOptions('is of company null', /^company_id must be an id/, { company_id: null });

  it('has the name of another in this process', async () => {
    const { subscriber } = new SubscriberWorld().process();
    await subscriber.subscribe('ledger', ['all'], async () => {});
    await assert.rejects(
      subscriber.subscribe('ledger', ['all'], async () => {}),
      (error) => error instanceof Refusal && error.code === 'conflict',
    );
  });
});
