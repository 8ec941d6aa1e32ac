import assert from 'node:assert/strict';
import { fixedClock } from '@tallystick/kernel';
import { checkOnStorages, propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import {
  catchUp,
  composeAll,
  leftovers_of_day_max,
  type ReconciliationPorts,
  type ReconciliationStore,
  type record_kinds,
} from '../../src/index.ts';
import { ActWorld, assertRebuilt } from '../acts/world.ts';

const settlement_date = '2026-05-20';

const amount = fc.constantFrom(400, 600, 1_000, 1_013);
const amounts = (minLength: number, maxLength: number) => fc.array(amount, { minLength, maxLength, size: 'max' });

/** What arrives before a step of keeping up. */
interface Arrivals {
  readonly cleared: readonly number[];
  /** Lines without a reference. */
  readonly booked: readonly number[];
  /** How many of the clearings before get their lines. */
  readonly stated: number;
}

/** Almost, or just, as many as make the day crowded. */
const first: fc.Arbitrary<Arrivals> = fc.record({
  cleared: amounts(leftovers_of_day_max - 2, leftovers_of_day_max + 5),
  booked: fc.oneof(amounts(1, 3), amounts(leftovers_of_day_max - 2, leftovers_of_day_max)),
  stated: fc.constant(0),
});

const then: fc.Arbitrary<Arrivals> = fc.record({
  cleared: amounts(0, 3),
  booked: amounts(0, 2),
  stated: fc.constantFrom(0, 0, 2, 4),
});

/** A company with one day on which much is left over. */
class CrowdedDay {
  readonly #world: ActWorld;
  readonly #unstated: { readonly reference: string; readonly amount: number }[] = [];
  #cleared = 0;

  constructor(world: ActWorld) {
    this.#world = world;
  }

  async arrive({ cleared, booked, stated }: Arrivals): Promise<void> {
    const its = cleared.map((of) => {
      this.#cleared += 1;
      return { amount: of, reference: `74123420${String(this.#cleared).padStart(14, '0')}7` };
    });
    await Promise.all(
      its.map((one) =>
        this.#world.clear({ amount: one.amount, acquirer_reference_data: one.reference, settlement_date }),
      ),
    );
    const lines = [...this.#unstated.splice(0, stated), ...booked.map((of) => ({ amount: of, reference: null }))];
    await this.#world.lines(lines.map((line) => ({ ...line, date: settlement_date })));
    this.#unstated.push(...its);
  }
}

/** The items of all records, composed at once. */
async function composedItems({ storage, company_id }: ActWorld, now_ms: number) {
  return await storage.unitOfWork.read(async ({ reconciliation }) => {
    const idsOf = (kind: (typeof record_kinds)[number]) => reconciliation.recordsAfter(company_id, kind, 0, 10_000);
    const records = {
      purchases: await reconciliation.authorizations(company_id, await idsOf('authorization')),
      clearings: await reconciliation.clearings(company_id, await idsOf('clearing')),
      lines: await reconciliation.lines(company_id, await idsOf('line')),
    };
    const coverage = await reconciliation.readCoverage(company_id);
    return composeAll({ records, acts: [], coverage, now_ms });
  });
}

/** The ports of a world, which count the rows that transactions read. */
function countingPorts(world: ActWorld): { readonly ports: ReconciliationPorts; readonly count: { rows: number } } {
  const { unitOfWork } = world.storage;
  const count = { rows: 0 };
  const counted = (store: ReconciliationStore): ReconciliationStore =>
    new Proxy(store, {
      get:
        (target, name) =>
        async (...given: readonly unknown[]) => {
          const found: unknown = await Reflect.apply(Reflect.get(target, name), target, given);
          if (Array.isArray(found)) count.rows += found.length;
          return found;
        },
    });
  const ports: ReconciliationPorts = {
    clock: fixedClock(world.call().now_ms),
    unitOfWork: {
      run: (work) => unitOfWork.run((tx) => work({ ...tx, reconciliation: counted(tx.reconciliation) })),
      read: (work) => unitOfWork.read(work),
    },
  };
  return { ports, count };
}

/** How many rows a step reads for a clearing and a line of a day on which so many are left over. */
async function rowsOfStep(world: ActWorld, left_over: number): Promise<number> {
  const amounts = Array.from({ length: left_over }, (_, at) => 500 + ((at * 7_919) % 3_001));
  await Promise.all(amounts.map((of) => world.clear({ amount: of, settlement_date })));
  await world.lines(amounts.map((of) => ({ amount: of + 1, date: settlement_date })));
  await world.catchUp();
  await world.clear({ amount: 400, settlement_date });
  await world.lines([{ amount: 400, date: settlement_date }]);
  const { ports, count } = countingPorts(world);
  await catchUp(ports, world.company_id);
  return count.rows;
}

const runs = {
  sqlite: propertyParameters({ short: 15, full: 60 }),
  postgres: propertyParameters({ short: 2, full: 8 }),
};

checkOnStorages('days on which much is left over', [
  {
    rule: 'whenever days become crowded and cease to be, items are those that all records make at once',
    on_postgres: true,
    async check(open, database) {
      const storage = await open();
      await fc.assert(
        fc.asyncProperty(first, fc.array(then, { minLength: 2, maxLength: 5 }), async (begun, steps) => {
          const world = await ActWorld.on(storage);
          const day = new CrowdedDay(world);
          for (const arrivals of [begun, ...steps]) {
            await day.arrive(arrivals);
            await world.catchUp();
          }
          const kept_up = (await world.items()).map(({ version: _version, period_id: _period_id, ...item }) => item);
          const composed = (await composedItems(world, world.call().now_ms)).toSorted((a, b) => a.id - b.id);
          assert.deepEqual(kept_up, composed);
          await assertRebuilt(world, 'after all arrivals');
          await world.close();
        }),
        runs[database],
      );
    },
  },
  {
    rule: 'a step reads as few rows among thousands that are left over as among hundreds',
    async check(open) {
      const storage = await open();
      const read = [];
      for (const left_over of [200, 2_000]) {
        const world = await ActWorld.on(storage);
        read.push(await rowsOfStep(world, left_over));
        await world.close();
      }
      assert.deepEqual(read, [read[0], read[0]]);
      assert.ok(read[0]! < 5 * leftovers_of_day_max, `${read[0]} rows`);
    },
  },
  {
    rule: 'a day with one clearing or line too many has no covering sets, and has them again with one fewer',
    async check(open) {
      const world = await ActWorld.on(await open());
      const setsMade = async () =>
        (await world.items()).filter(({ matches }) => matches.some(({ rule }) => rule === 'covering_set')).length;
      const amounts = Array.from({ length: leftovers_of_day_max }, (_, at) => 1_000 + at);
      const reference = '74123420000000000000017';
      await Promise.all(amounts.map((of) => world.clear({ amount: of, settlement_date })));
      await world.lines([{ amount: 1_000, date: settlement_date }]);
      assert.equal(await setsMade(), 1);
      await world.clear({ amount: 5, acquirer_reference_data: reference, settlement_date });
      assert.equal(await setsMade(), 0);
      await world.lines([{ amount: 5, reference, date: settlement_date }]);
      assert.equal(await setsMade(), 1);
      await world.close();
    },
  },
]);
