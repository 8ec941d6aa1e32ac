import { Refusal } from '@tallystick/kernel';
import { closePeriod, listPeriods, type RecordKey, rebuild, reopenPeriod } from '@tallystick/reconciliation';
import fc from 'fast-check';
import { type Attempt, arrive, attempt_plan, itemsInOrder, type RecordPlan, record_plan, tryAct } from './act-plans.ts';
import { ActWorld } from './act-world.ts';
import type { ContractRule } from './contract-rule.ts';
import { assertEqual } from './equality.ts';
import type { PropertyRuns } from './event-store.ts';
import { openForRuns } from './open-for-runs.ts';
import type { StorageUnderTest } from './storage.ts';

/** Something that happens to a company. */
type Happening =
  | { readonly kind: 'arrival'; readonly record: RecordPlan }
  | { readonly kind: 'act'; readonly attempt: Attempt }
  | { readonly kind: 'close'; readonly closed_through: string }
  | { readonly kind: 'reopen' };

const arrival: fc.Arbitrary<Happening> = fc
  .record({ record: record_plan, days: fc.nat(3) })
  .map(({ record, days }) => ({ kind: 'arrival', record: { ...record, days: 3 * days } }));

const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 4, arbitrary: arrival },
  { weight: 5, arbitrary: attempt_plan.map((attempt): Happening => ({ kind: 'act', attempt })) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('2026-05-20', '2026-05-24', '2026-05-31')
      .map((closed_through): Happening => ({ kind: 'close', closed_through })),
  },
  { weight: 1, arbitrary: fc.constant<Happening>({ kind: 'reopen' }) },
);

const histories = fc.tuple(
  fc.array(arrival, { minLength: 2, maxLength: 5 }),
  fc.array(happening, { minLength: 4, maxLength: 16 }),
);

async function happen(world: ActWorld, arrived: RecordKey[], one: Happening): Promise<void> {
  if (one.kind === 'arrival') {
    arrived.push(await arrive(world, one.record));
  } else if (one.kind === 'act') {
    const items = await itemsInOrder(world, arrived);
    if (items.length > 0) await tryAct(world, items, one.attempt);
  } else if (one.kind === 'close') {
    await unlessRefused(() => closePeriod(world.ports(), world.call(), one));
  } else {
    const { items } = await world.storage.unitOfWork.read((tx) => listPeriods(tx, world.call(), { limit: 100 }));
    const newest = items.find(({ status }) => status === 'closed');
    if (newest !== undefined) await reopenPeriod(world.ports(), world.call(), newest.id);
  }
}

async function unlessRefused(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
}

/** Records, acts and periods in any order (decision: reconciliation). */
export function actHistoriesContract(runs: PropertyRuns = { numRuns: 25 }): readonly ContractRule<StorageUnderTest>[] {
  return [
    {
      rule: 'whatever arrives, people do and periods freeze, a rebuild finds nothing',
      async check(open) {
        const storageOfRun = openForRuns(open);
        await fc.assert(
          fc.asyncProperty(histories, async ([first, then]) => {
            const world = await ActWorld.on(await storageOfRun());
            const arrived: RecordKey[] = [];
            for (const one of [...first, ...then]) await happen(world, arrived, one);
            await world.catchUp();
            const found = await rebuild(world.ports(), { company_id: world.company_id, check_only: true });
            const { items_different, entries_different, cells_different } = found;
            assertEqual(
              [items_different, entries_different, cells_different],
              [0, 0, 0],
              'what a rebuild would change',
            );
            await world.close();
          }),
          runs,
        );
      },
    },
  ];
}
