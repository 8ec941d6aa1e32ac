import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Event, OwnTransaction, Subscriber, SubscriptionHandler } from '@tallystick/events';
import { changeRows, database_names, readRows, type ScratchDatabase, scratchDatabase } from '@tallystick/test-support';
import type { Persistence } from '../src/index.ts';
import { appendEvents, noon_ms, openPersistence, openSubscriber } from './contract/fixture.ts';

const company_id = 1;

for (const name of database_names) {
  describe(`subscriptions of several processes, on ${name}`, () => {
    let database: ScratchDatabase;
    let here: Persistence;
    let there: Persistence;
    const subscribers: Subscriber[] = [];

    before(async () => {
      database = await scratchDatabase(name);
      here = await openPersistence(database);
      there = await openPersistence(database);
      await here.migrate();
      const id = name === 'sqlite' ? 'integer primary key autoincrement' : 'bigserial primary key';
      await changeRows(database, `create table effects (position ${id}, subscription text, event_id bigint)`);
    });
    after(async () => {
      for (const subscriber of subscribers) await subscriber.stop();
      await here?.close();
      await there?.close();
      await database?.dispose();
    });

    const happen = (count = 1, persistence = here): Promise<readonly number[]> =>
      persistence.unitOfWork.run((tx) => appendEvents(tx, count));

    function subscriberOn(persistence: Persistence, failures: unknown[] = []): Subscriber {
      const subscriber = openSubscriber(persistence, name, failures);
      subscribers.push(subscriber);
      return subscriber;
    }

    /** Writes an effect for each event with the transaction of the handler. */
    function writing(subscription: string): SubscriptionHandler {
      const values = name === 'sqlite' ? '?, ?' : '$1, $2';
      return async (events, tx) => {
        for (const { id } of events) {
          await tx.query(`insert into effects (subscription, event_id) values (${values})`, [subscription, id]);
        }
      };
    }

    async function effectsOf(subscription: string): Promise<readonly number[]> {
      const sql = `select event_id from effects where subscription = '${subscription}' order by position`;
      return (await readRows<{ event_id: number }>(database, sql)).map(({ event_id }) => Number(event_id));
    }

    /** Claims the subscription, with a lease that is over. */
    async function endLease({ unitOfWork }: Persistence, subscription: string): Promise<void> {
      const filter = { event_types: null, company_id: null };
      const lease = { token: 'none', machine_ms: Number.MAX_SAFE_INTEGER, until_machine_ms: 0 };
      await unitOfWork.run((tx) => tx.subscriptions.claim(subscription, filter, lease));
    }

    async function until(isMet: () => boolean | Promise<boolean>): Promise<void> {
      const until_ms = performance.now() + 30_000;
      while (!(await isMet())) {
        assert.ok(performance.now() < until_ms, 'the condition is not met after 30 s');
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    }

    it('commit each effect once, with two owners at once and writers beside them', async () => {
      const failures: unknown[] = [];
      const processes = [subscriberOn(here, failures), subscriberOn(there, failures)];
      for (const subscriber of processes) {
        await subscriber.subscribe('raced', ['all'], writing('raced'), { from: 'beginning' });
        subscriber.start();
      }
      const ids: number[] = [];
      const write = async (persistence: Persistence): Promise<void> => {
        for (let round = 0; round < 40; round += 1) {
          ids.push(...(await happen(1 + (round % 3), persistence)));
          // Takes the lease away from the owner, as if it had been paused beyond its end.
          if (round % 10 === 5) await endLease(persistence, 'raced');
          processes[round % 2]!.nudge();
        }
      };
      await Promise.all([write(here), write(there), write(here)]);
      await until(async () => (await effectsOf('raced')).length >= ids.length);
      for (const subscriber of processes) await subscriber.unsubscribe('raced');
      assert.deepEqual(
        await effectsOf('raced'),
        ids.toSorted((a, b) => a - b),
      );
      assert.deepEqual(failures, []);
    });

    if (name === 'postgres') {
      describe('while a transaction with lower ids is open', () => {
        let open: OwnTransaction;
        let open_ids: readonly number[];
        let before_ids: readonly number[];
        let later_ids: readonly number[];

        before(async () => {
          before_ids = await happen(2);
          open = await there.begin();
          open_ids = await there.joining(open.host).run((tx) => appendEvents(tx, 2));
          later_ids = await happen(3);
        });
        after(() => open?.rollback());

        it('no event above them is handed out until it ends, and then all are, in order', async () => {
          assert.ok(open_ids[0]! < later_ids[0]!);
          const seen: number[] = [];
          const handler: SubscriptionHandler = async (events: readonly Event[]) => {
            seen.push(...events.map(({ id }) => id));
          };
          const subscriber = subscriberOn(here);
          await subscriber.subscribe('late', ['all'], handler);
          subscriber.start();
          // The horizon has been read again and again, with the transaction open.
          for (let reading = 0; reading < 20; reading += 1) {
            const { final_id, last_id } = await here.event_horizon.read();
            assert.ok(final_id < open_ids[0]!, `${final_id} is final while ${open_ids[0]} may be committed`);
            assert.ok(last_id >= later_ids.at(-1)!);
          }
          assert.deepEqual(seen, []);
          await open.commit();
          await until(() => seen.length >= open_ids.length + later_ids.length);
          await subscriber.unsubscribe('late');
          assert.deepEqual(seen, [...open_ids, ...later_ids]);
        });

        it('a process without history starts a new name below them, and not at the beginning', async () => {
          const fresh = await openPersistence(database);
          const stuck = await there.begin();
          try {
            const [earlier] = await happen(1);
            const [stuck_id] = await there.joining(stuck.host).run((tx) => appendEvents(tx, 1));
            await happen(1);
            const now = await fresh.event_horizon.now();
            assert.ok(now < stuck_id! && now >= earlier!, `${now} with ${earlier} committed and ${stuck_id} open`);
            assert.ok(before_ids.at(-1)! < now, `${now} is far below the open transaction`);
          } finally {
            await stuck.rollback();
            await fresh.close();
          }
        });
      });
    }

    it('let a handler use the handle of the driver and calls of its own transaction, or undo both', async () => {
      const failures: unknown[] = [];
      const subscriber = subscriberOn(here, failures);
      const insert = "insert into effects (subscription, event_id) values ('native', 7)";
      let calls = 0;
      await subscriber.subscribe('native', ['virtualcard.deleted'], async (_events, tx) => {
        calls += 1;
        const native = (await tx.native()) as {
          query?(sql: string): Promise<unknown>;
          prepare?(sql: string): { run(): void };
        };
        if (name === 'sqlite') native.prepare!(insert).run();
        else await native.query!(insert);
        await here.joining(tx.host).run((its) => appendEvents(its, 1));
        if (calls === 1) throw new Error('the first call fails');
      });
      subscriber.start();
      const [id] = await here.unitOfWork.run(async ({ events }) => {
        const event = { company_id, payload: {}, previous: null, created_at_ms: noon_ms, request_id: null };
        return (await events.append([{ ...event, event_type: 'virtualcard.deleted' }])).map((stored) => stored.id);
      });
      await until(async () => (await effectsOf('native')).length > 0);
      await subscriber.unsubscribe('native');
      assert.equal(calls, 2);
      assert.equal(failures.length, 1);
      assert.deepEqual(await effectsOf('native'), [7]);
      const later = await readRows<{ count: number }>(
        database,
        `select count(*) as count from tallystick_events where id > ${id}`,
      );
      assert.equal(Number(later[0]?.count), 1);
    });
  });
}
