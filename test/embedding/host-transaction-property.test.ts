/**
 * A host begins transactions, issues cards in them, and ends them in any order and in any way: what
 * belongs together is there together or not at all.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Fault } from '@tallystick/kernel';
import { database_names, propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { type Host, host_pairs, type OpenTransaction } from './host-pairs.ts';
import { type HostWorld, hostWorld } from './host-world.ts';

type Step = 'issue' | 'two at once' | 'refused' | 'read' | 'own';
type End = 'commit' | 'rollback' | 'crash';

interface Plan {
  readonly steps: readonly Step[];
  readonly end: End;
}

const plan: fc.Arbitrary<Plan> = fc.record({
  steps: fc.array(fc.constantFrom<Step>('issue', 'issue', 'two at once', 'refused', 'read', 'own'), {
    minLength: 1,
    maxLength: 5,
  }),
  end: fc.constantFrom<End>('commit', 'commit', 'rollback', 'crash'),
});

/** Which of the open transactions goes on next. */
const schedule = fc.array(fc.nat({ max: 2 }), { minLength: 20, maxLength: 20 });

interface Running {
  readonly plan: Plan;
  readonly open: OpenTransaction;
  readonly cards: number[];
  readonly rows: number[];
  at: number;
}

for (const pair of host_pairs) {
  const name = `interleaved transactions of a host, ${pair.name}`;
  describe(name, { skip: !database_names.includes(pair.database) }, () => {
    let world: HostWorld;
    let host: Host;
    let last_row = 0;

    before(async () => {
      world = await hostWorld(pair.database, { is_shared: pair.is_shared });
      host = await pair.open(world);
    });

    after(async () => {
      await host.close();
      await world.dispose();
    });

    /** The cards that the instance issued in transactions of its own, which begin beside the host's. */
    const own: Promise<number | null>[] = [];

    /** Null: on SQLite, the host's transaction was open for longer than our own may wait. */
    async function issueOwn(): Promise<number | null> {
      try {
        return (await world.issue(world.persistence.unitOfWork)).card.id;
      } catch (error) {
        if (pair.database === 'sqlite' && error instanceof Fault && error.retryable) return null;
        throw error;
      }
    }

    async function issue({ open, cards, rows }: Running): Promise<void> {
      last_row += 1;
      rows.push(last_row);
      await open.run(`insert into host_rows (id) values (${last_row})`);
      cards.push((await world.issue(world.persistence.joining(open.tx()))).card.id);
    }

    async function step(running: Running, next: Step): Promise<void> {
      const { open, cards } = running;
      const joined = () => world.persistence.joining(open.tx());
      switch (next) {
        case 'issue':
          return await issue(running);
        case 'two at once': {
          last_row += 2;
          running.rows.push(last_row - 1, last_row);
          await open.run(`insert into host_rows (id) values (${last_row - 1}), (${last_row})`);
          const both = await Promise.all([world.issue(joined()), world.issue(joined())]);
          cards.push(...both.map(({ card }) => card.id));
          return;
        }
        case 'refused':
          await assert.rejects(world.issue(joined(), { total_card_amount: -1 }), { name: 'Refusal' });
          return;
        case 'read':
          assert.equal((await joined().read((tx) => tx.companies.find(world.company_id)))?.name, 'Example Ltd');
          return;
        case 'own':
          // On SQLite it waits for the end of the host's transaction. Kysely and MikroORM begin one without the lock,
          // and then SQLite would wait for ours within a statement, which blocks this process.
          if (pair.begins_without_lock) return;
          own.push(issueOwn());
          if (pair.database === 'postgres') await own.at(-1);
      }
    }

    test('a card, its event, its outbox entry and the row of the host are there together or not at all', async () => {
      // On SQLite a handle has one transaction at a time.
      const beside = pair.database === 'postgres' ? 3 : 1;
      await fc.assert(
        fc.asyncProperty(fc.array(plan, { minLength: 1, maxLength: 5 }), schedule, async (plans, order) => {
          const earlier = await world.state();
          const kept_cards: number[] = [];
          const kept_rows: number[] = [];
          const waiting = [...plans];
          const running: Running[] = [];
          try {
            for (let turn = 0; waiting.length + running.length > 0; turn += 1) {
              while (running.length < beside && waiting.length > 0) {
                const open = await host.begin();
                running.push({ plan: waiting.shift()!, open, cards: [], rows: [], at: 0 });
              }
              const next = running[order[turn % order.length]! % running.length]!;
              const its_step = next.plan.steps[next.at];
              next.at += 1;
              if (its_step !== undefined) {
                await step(next, its_step);
                continue;
              }
              running.splice(running.indexOf(next), 1);
              await next.open[next.plan.end]();
              if (next.plan.end === 'commit') {
                kept_cards.push(...next.cards);
                kept_rows.push(...next.rows);
              }
            }
          } finally {
            // After a failure, what is still open would keep the host from closing.
            for (const { open } of running) await open.rollback().catch(() => undefined);
          }
          kept_cards.push(...(await Promise.all(own.splice(0))).filter((id) => id !== null));
          const later = await world.state();
          const inOrder = (ids: readonly number[]) => ids.toSorted((a, b) => a - b);
          assert.deepEqual(later.cards, inOrder([...earlier.cards, ...kept_cards]));
          assert.deepEqual(later.host_rows, inOrder([...earlier.host_rows, ...kept_rows]));
          assert.equal(later.events, later.cards.length);
          assert.equal(later.outbox, later.cards.length);
        }),
        propertyParameters({ short: 10, full: 30 }),
      );
    });
  });
}
