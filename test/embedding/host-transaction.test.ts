import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { companyRow } from '@tallystick/harness';
import type { HostTransaction } from '@tallystick/kernel';
import { database_names } from '@tallystick/test-support';
import { type Host, type HostPair, host_pairs, type OpenTransaction } from './host-pairs.ts';
import { type HostWorld, hostWorld } from './host-world.ts';

for (const pair of host_pairs) hostTransactionSuite(pair);

const unusable = (what: RegExp) => (error: unknown) => {
  const { name, message } = error as Error;
  assert.equal(name, 'UnusableTransaction', String(error));
  assert.match(message, what);
  assert.ok(!message.includes('\n') && !message.endsWith('.'), 'one sentence');
  return true;
};

export function hostTransactionSuite(pair: HostPair): void {
  describe(`the transaction of a host, ${pair.name}`, { skip: !database_names.includes(pair.database) }, () => {
    let world: HostWorld;
    let host: Host;
    let rows = 0;

    before(async () => {
      world = await hostWorld(pair.database, { is_shared: pair.is_shared });
      host = await pair.open(world);
    });

    after(async () => {
      await host.close();
      await world.dispose();
    });

    const issue = (tx: HostTransaction, request?: Readonly<Record<string, unknown>>) =>
      world.issue(world.persistence.joining(tx), request);

    /** Writes a row of the host, and returns its id. */
    async function write(open: Pick<OpenTransaction, 'run'>): Promise<number> {
      rows += 1;
      await open.run(`insert into host_rows (id) values (${rows})`);
      return rows;
    }

    async function inTransaction<Result>(work: (open: OpenTransaction) => Promise<Result>): Promise<Result> {
      const open = await host.begin();
      try {
        const result = await work(open);
        await open.commit();
        return result;
      } catch (error) {
        await open.rollback();
        throw error;
      }
    }

    /** What of each kind is committed. */
    const state = () => world.state();

    test('a commit of the host keeps the card, its event, its outbox entry and the row of the host', async () => {
      const earlier = await state();
      const { card_id, row } = await inTransaction(async (open) => {
        const first = await write(open);
        return { card_id: (await issue(open.tx())).card.id, row: first };
      });
      const later = await state();
      assert.deepEqual(later.cards, [...earlier.cards, card_id]);
      assert.equal(later.events, later.cards.length);
      assert.equal(later.outbox, earlier.outbox + 1);
      assert.deepEqual(later.host_rows, [...earlier.host_rows, row]);
    });

    test('a rollback of the host keeps none of them', async () => {
      const earlier = await state();
      const open = await host.begin();
      await write(open);
      await issue(open.tx());
      await issue(open.tx());
      await open.rollback();
      assert.deepEqual(await state(), earlier);
    });

    test('the calls of a transaction see what earlier ones wrote, and nobody else does', async () => {
      const earlier = await state();
      await inTransaction(async (open) => {
        const { card } = await issue(open.tx());
        const joined = world.persistence.joining(open.tx());
        const read = await joined.read((tx) => tx.cards.find(world.company_id, card.id));
        assert.deepEqual(read, card);
        if (!pair.is_shared) assert.deepEqual((await state()).cards, earlier.cards);
      });
    });

    test('a refused call leaves the earlier and later work of the transaction', async () => {
      const earlier = await state();
      await inTransaction(async (open) => {
        await write(open);
        await issue(open.tx());
        await assert.rejects(issue(open.tx(), { total_card_amount: -1 }), {
          name: 'Refusal',
          code: 'validation_failed',
        });
        await write(open);
        await issue(open.tx());
      });
      const later = await state();
      assert.equal(later.cards.length, earlier.cards.length + 2);
      assert.equal(later.host_rows.length, earlier.host_rows.length + 2);
    });

    test('a call that fails after it wrote leaves nothing, and its transaction as it was', async () => {
      const earlier = await state();
      await inTransaction(async (open) => {
        await issue(open.tx());
        const joined = world.persistence.joining(open.tx());
        const failing = joined.run(async (tx) => {
          await world.issueWith(tx);
          throw new Error('the code of the host failed');
        });
        await assert.rejects(failing, /the code of the host failed/);
        await write(open);
      });
      const later = await state();
      assert.equal(later.cards.length, earlier.cards.length + 1);
      assert.equal(later.outbox, earlier.outbox + 1);
    });

    test('a statement that the database refuses is a Fault, and its transaction goes on', async () => {
      const earlier = await state();
      await inTransaction(async (open) => {
        await write(open);
        const joined = world.persistence.joining(open.tx());
        const failing = joined.run(async (tx) => {
          await world.issueWith(tx);
          await tx.companies.insert(companyRow({ name: null as never }));
        });
        await assert.rejects(failing, { name: 'Fault' });
        await write(open);
        await issue(open.tx());
      });
      const later = await state();
      assert.equal(later.cards.length, earlier.cards.length + 1);
      assert.equal(later.host_rows.length, earlier.host_rows.length + 2);
    });

    test('a unit of work that only reads keeps nothing that it wrote', async () => {
      const earlier = await state();
      await inTransaction(async (open) => {
        await world.persistence.joining(open.tx()).read((tx) => world.issueWith(tx));
      });
      assert.deepEqual(await state(), earlier);
    });

    test('calls at the same time run one after another, and fail alone', async () => {
      const earlier = await state();
      await inTransaction(async (open) => {
        const tx = open.tx();
        const results = await Promise.allSettled([
          issue(tx),
          issue(open.tx(), { total_card_amount: -1 }),
          issue(open.tx()),
          issue(tx, { total_card_amount: -1 }),
          issue(tx),
        ]);
        assert.deepEqual(
          results.map(({ status }) => status),
          ['fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled'],
        );
      });
      assert.equal((await state()).cards.length, earlier.cards.length + 3);
    });

    test('parsers and plugins of the host do not change what is read', async () => {
      await inTransaction(async (open) => {
        const { card } = await issue(open.tx(), { emails: ['a@example.com'], metadata: { note: 'x' } });
        const reading = (unit: typeof world.persistence.unitOfWork) =>
          unit.read(async (tx) => ({
            card: await tx.cards.find(world.company_id, card.id),
            events: await tx.events.list(world.company_id, [], { limit: 5 } as never),
            fingerprint: await tx.companies.find(world.company_id),
          }));
        const joined = await reading(world.persistence.joining(open.tx()));
        await open.commit();
        assert.deepEqual(joined, await reading(world.persistence.unitOfWork));
        await assert.doesNotReject(open.rollback().catch(() => undefined));
      }).catch((error: unknown) => {
        // The transaction was committed within.
        if (error instanceof assert.AssertionError) throw error;
      });
    });

    test('no transaction is one sentence of what to do', async () => {
      const outside = host.outside();
      if (outside === null) return;
      const earlier = await state();
      await assert.rejects(async () => await issue(outside()), unusable(/transaction/));
      assert.deepEqual(await state(), earlier);
    });

    test('a value that was used in a transaction cannot be used after its end', async () => {
      const committed = await host.begin();
      const tx = committed.tx();
      await issue(tx);
      await committed.commit();
      await assert.rejects(async () => await issue(tx), unusable(/transaction/));
      const rolled_back = await host.begin();
      const other = rolled_back.tx();
      await issue(other);
      await rolled_back.rollback();
      await assert.rejects(async () => await issue(other), unusable(/transaction/));
    });

    test('a transaction on another database is refused, and can go on', async () => {
      const other = await hostWorld(pair.database, { is_shared: pair.is_shared });
      const other_host = await pair.open(other);
      try {
        const open = await other_host.begin();
        await assert.rejects(async () => await issue(open.tx()), unusable(/another database/));
        await other.issue(other.persistence.joining(open.tx()));
        await open.commit();
        assert.equal((await other.state()).cards.length, 1);
      } finally {
        await other_host.close();
        await other.dispose();
      }
    });

    test('a transaction of the other dialect is refused', async () => {
      const dialect = pair.database === 'sqlite' ? 'postgres' : 'sqlite';
      const foreign: HostTransaction = { dialect, handle: {}, execute: () => Promise.reject(new Error('never')) };
      await assert.rejects(issue(foreign), unusable(/Postgres/));
    });

    test('transaction(handle, work) commits what the work wrote, and rolls back when it rejects', async () => {
      const earlier = await state();
      await host.transaction(async (tx, run) => {
        await write({ run });
        await issue(tx);
      });
      const failing = host.transaction(async (tx, run) => {
        await write({ run });
        await issue(tx);
        throw new Error('the host gives up');
      });
      await assert.rejects(failing, /the host gives up/);
      const later = await state();
      assert.equal(later.cards.length, earlier.cards.length + 1);
      assert.equal(later.host_rows.length, earlier.host_rows.length + 1);
    });

    test('transaction(handle, work) rejects when the work itself has ended the transaction', async () => {
      for (const ends of [['rollback'], ['commit'], ['rollback', 'begin']]) {
        const ending = host.transaction(async (tx, run) => {
          await issue(tx);
          for (const text of ends) await run(text);
        });
        await assert.rejects(ending, unusable(/over before the end of its work/), ends.join());
        await host.transaction(async (tx) => void (await issue(tx)));
      }
    });

    test('transactions on one handle at the same time all commit, and none blocks the process', async () => {
      const earlier = await state();
      let turns = 0;
      let is_over = false;
      const counting = (async () => {
        for (; !is_over; turns += 1) await nextTurn();
      })();
      await Promise.all(
        Array.from({ length: 8 }, () =>
          host.transaction(async (tx, run) => {
            await write({ run });
            await nextTurn();
            await issue(tx);
          }),
        ),
      );
      is_over = true;
      await counting;
      assert.ok(turns > 8);
      assert.equal((await state()).cards.length, earlier.cards.length + 8);
    });

    if (pair.database === 'sqlite') {
      test('work of the instance waits for an open transaction of the host', async () => {
        const open = await host.begin();
        await write(open);
        let is_done = false;
        const own = world.issue(world.persistence.unitOfWork).then((reading) => {
          is_done = true;
          return reading;
        });
        await issue(open.tx());
        for (let turn = 0; turn < 20; turn += 1) await nextTurn();
        assert.equal(is_done, false);
        await open.commit();
        await own;
      });
    } else {
      test('work of the instance goes on while a transaction of the host is open', async () => {
        const open = await host.begin();
        await issue(open.tx());
        await world.issue(world.persistence.unitOfWork);
        await open.rollback();
      });

      test('the settings of the transaction are as before the call', async () => {
        await inTransaction(async (open) => {
          await open.run(`set local search_path to pg_catalog`);
          await open.run(`set local bytea_output to 'escape'`);
          const settings = async () => await world.settingsIn(open.tx());
          const earlier = await settings();
          const joined = world.persistence.joining(open.tx());
          await issue(open.tx());
          await joined.run(async (tx) => await tx.cards.list(world.company_id, {} as never, { limit: 5 } as never));
          await assert.rejects(issue(open.tx(), { total_card_amount: -1 }));
          await joined.read(async (tx) => await tx.companies.find(world.company_id));
          assert.deepEqual(await settings(), earlier);
        });
      });
    }

    test('close() leaves the handle of the host open', async () => {
      const other = await hostWorld(pair.database, { is_shared: pair.is_shared });
      const other_host = await pair.open(other);
      const open = await other_host.begin();
      await other.issue(other.persistence.joining(open.tx()));
      await open.commit();
      await other.persistence.close();
      assert.ok(await other_host.isOpen());
      await other_host.close();
      await other.dispose();
    });
  });
}
