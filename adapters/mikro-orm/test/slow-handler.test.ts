/** A handler of events that waits in the middle of its transaction, and the writers beside it. */
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { no_changes } from '@tallystick/cards';
import type { SubscriptionFailure, SubscriptionHandler } from '@tallystick/events';
import { machine_timers, UnusableTransaction } from '@tallystick/kernel';
import {
  changeRows,
  type DatabaseName,
  database_names,
  migratedDatabase,
  readRows,
  type ScratchDatabase,
} from '@tallystick/test-support';
import type { Database } from 'better-sqlite3';
import type { Persistence } from '../src/index.ts';
import { appendEvents, openPersistence, openSubscriber } from './contract/fixture.ts';

/** Longer times never pass: whatever is limited by them is not limited. */
const after_ms_max = 1_000;

interface World {
  readonly scratch: ScratchDatabase;
  readonly here: Persistence;
  readonly there: Persistence;
  readonly failures: SubscriptionFailure[];
  effects(): Promise<readonly number[]>;
  until(isMet: () => boolean | Promise<boolean>): Promise<void>;
}

/** Two processes, and a subscription of the first with one event. */
async function open(t: TestContext, name: DatabaseName, handler: SubscriptionHandler): Promise<World> {
  const scratch = await migratedDatabase(name);
  t.after(() => scratch.dispose());
  const here = await openPersistence(scratch);
  t.after(() => here.close());
  const there = await openPersistence(scratch);
  t.after(() => there.close());
  for (const sql of ['create table effects (effect bigint)', 'create table rates (rate bigint)']) {
    await changeRows(scratch, sql);
  }
  await changeRows(scratch, 'insert into rates values (1)');
  const failures: SubscriptionFailure[] = [];
  const subscriber = openSubscriber(here, name, failures, (ms, run) =>
    ms > after_ms_max ? () => undefined : machine_timers.after(ms, run),
  );
  t.after(() => subscriber.stop());
  await subscriber.subscribe('slow', ['all'], handler);
  subscriber.start();
  await here.unitOfWork.run((tx) => appendEvents(tx));
  return {
    scratch,
    here,
    there,
    failures,
    async effects() {
      return (await readRows<{ effect: number }>(scratch, 'select effect from effects')).map(({ effect }) =>
        Number(effect),
      );
    },
    async until(isMet) {
      while (!(await isMet())) {
        subscriber.nudge();
        await delay(5);
      }
    },
  };
}

/** What a decision does, and other work that writes. */
async function write(persistence: Persistence): Promise<void> {
  await persistence.ledger.passDue(10, () => ({ changes: no_changes, result: 'decided' }));
  await persistence.unitOfWork.run((tx) => tx.sandbox_clock.write({ offset_ms: 7, frozen_at_ms: null }));
}

const signals = () => ({ waiting: Promise.withResolvers<void>(), written: Promise.withResolvers<void>() });

for (const name of database_names) {
  const insert = `insert into effects values (${name === 'sqlite' ? '?' : '$1'})`;

  describe(`a handler that waits after the first use of its transaction, on ${name}`, { timeout: 120_000 }, () => {
    test('stops no writer, of its own process or of another, and has its effects once', async (t) => {
      const { waiting, written } = signals();
      let calls = 0;
      const { here, there, effects, until } = await open(t, name, async (_events, tx) => {
        calls += 1;
        await tx.query(insert, [1]);
        const { rows } = await tx.query('select rate from rates');
        waiting.resolve();
        await written.promise;
        await tx.query(insert, [Number(rows[0]?.rate) + 1]);
      });
      await until(() => calls > 0);
      await waiting.promise;
      for (const persistence of [here, there, here, there]) await write(persistence);
      assert.deepEqual(await effects(), [], 'before the handler has resolved');
      written.resolve();
      await until(async () => (await effects()).length > 0);
      assert.deepEqual(await effects(), [1, 2]);
    });

    test('stops no writer when it sends statements all the time', async (t) => {
      const { waiting } = signals();
      let has_written = false;
      let calls = 0;
      const { here, there, effects, until } = await open(t, name, async (_events, tx) => {
        calls += 1;
        await tx.query(insert, [1]);
        waiting.resolve();
        for (; !has_written; await delay(1)) await tx.query('select rate from rates');
      });
      await until(() => calls > 0);
      await waiting.promise;
      for (const persistence of [there, here]) await write(persistence);
      has_written = true;
      await until(async () => (await effects()).length > 0);
      assert.deepEqual(await effects(), [1]);
    });
  });
}

describe('a handler that waits after the first use of its transaction, on SQLite', { timeout: 120_000 }, () => {
  test('fails when what it has read was changed meanwhile, and reads it again in the next call', async (t) => {
    const { waiting, written } = signals();
    let calls = 0;
    const { scratch, there, effects, until, failures } = await open(t, 'sqlite', async (_events, tx) => {
      calls += 1;
      const { rows } = await tx.query('select rate from rates');
      waiting.resolve();
      await written.promise;
      await tx.query('insert into effects values (?)', [rows[0]?.rate]);
    });
    await until(() => calls > 0);
    await waiting.promise;
    // Waits until the lock is let go. A statement that blocks the process must not wait for that.
    await write(there);
    await changeRows(scratch, 'update rates set rate = 7');
    written.resolve();
    await until(async () => (await effects()).length > 0);
    assert.deepEqual(await effects(), [7]);
    const [{ error } = {}] = failures;
    assert.ok(error instanceof UnusableTransaction);
    assert.match(error.message, /changed while the handler waited: do slow work before the first use of tx/);
  });

  test('stops no writer when it sends statements without a pause, and lets the event loop have its turns', async (t) => {
    const { waiting } = signals();
    let has_written = false;
    let calls = 0;
    let sent_in_turn = 0;
    let sent_in_turn_max = 0;
    const { here, there, effects, until } = await open(t, 'sqlite', async (_events, tx) => {
      calls += 1;
      waiting.resolve();
      await tx.query('insert into effects values (?)', [1]);
      while (!has_written && sent_in_turn < 50_000) {
        if (sent_in_turn === 0) {
          setImmediate(() => {
            sent_in_turn = 0;
          });
        }
        sent_in_turn += 1;
        sent_in_turn_max = Math.max(sent_in_turn, sent_in_turn_max);
        await tx.query('select rate from rates');
      }
    });
    await until(() => calls > 0);
    await waiting.promise;
    for (const persistence of [there, here]) await write(persistence);
    has_written = true;
    await until(async () => (await effects()).length > 0);
    assert.deepEqual(await effects(), [1]);
    assert.ok(sent_in_turn_max < 50_000, `${sent_in_turn_max} statements in one turn`);
  });

  test('loses its transaction when it has the native handle, and has its events again', async (t) => {
    const { waiting, written } = signals();
    let calls = 0;
    const { here, there, effects, until, failures } = await open(t, 'sqlite', async (_events, tx) => {
      calls += 1;
      const database = (await tx.native()) as Database;
      database.prepare('insert into effects values (?)').run(calls);
      waiting.resolve();
      await written.promise;
      database.prepare('insert into effects values (?)').run(-calls);
    });
    await until(() => calls > 0);
    await waiting.promise;
    for (const persistence of [here, there]) await write(persistence);
    written.resolve();
    await until(async () => (await effects()).length > 0);
    assert.deepEqual(await effects(), [calls, -calls]);
    const [{ error } = {}] = failures;
    assert.ok(error instanceof UnusableTransaction);
    assert.match(error.message, /20 ms after tx\.native\(\): do slow work before the first use of tx/);
  });

  test('keeps what its native handle has executed without a pause, however long that took', async (t) => {
    const { effects, until, failures } = await open(t, 'sqlite', async (_events, tx) => {
      const database = (await tx.native()) as Database;
      database.prepare('insert into effects values (?)').run(1);
      for (const begun_ms = performance.now(); performance.now() - begun_ms < 100; );
    });
    await until(async () => (await effects()).length > 0);
    assert.deepEqual([await effects(), failures], [[1], []]);
  });

  test('fails when its statements take too long to be repeated', async (t) => {
    let calls = 0;
    const slow = `with recursive n (i) as (select 1 union all select i + 1 from n where i < 6000000) select max(i) from n`;
    const { here, until, failures } = await open(t, 'sqlite', async (_events, tx) => {
      calls += 1;
      if (calls > 2) return;
      await tx.query(slow);
      await tx.query('select 1');
    });
    await until(() => failures.length > 0);
    await write(here);
    assert.match(String(failures[0]?.error), /take too long: execute fewer in one call/);
  });
});
