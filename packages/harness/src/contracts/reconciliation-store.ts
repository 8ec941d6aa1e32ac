import {
  catchUp,
  cellKeyOf,
  cellOf,
  matchCellKeyOf,
  matchCellsOf,
  noItemChanges,
  rebuild,
  recompute,
  type SummaryCell,
} from '@tallystick/reconciliation';
import fc from 'fast-check';
import type { ContractRule } from './contract-rule.ts';
import { assertEqual } from './equality.ts';
import type { PropertyRuns } from './event-store.ts';
import { openForRuns } from './open-for-runs.ts';
import { reconciliation_list_contract } from './reconciliation-lists.ts';
import { arrival_plans, StoredWorld, world_plans } from './reconciliation-world.ts';
import type { StorageUnderTest } from './storage.ts';

/**
 * Throws unless a recomputation of everything finds no difference, and the cells count the items.
 */
export async function assertConsistent(world: StoredWorld, storage: StorageUnderTest = world.storage): Promise<void> {
  const { company_id, now_ms } = world;
  await storage.unitOfWork.read(async (tx) => {
    const store = tx.reconciliation;
    const records = [];
    for (const kind of ['authorization', 'clearing', 'line'] as const) {
      const ids = await store.recordsAfter(company_id, kind, 0, 1_000);
      records.push(...ids.map((id) => ({ kind, id })));
    }
    const items = await store.itemsAfter(company_id, null, 1_000);
    const coverage = await store.readCoverage(company_id);
    const item_ids = items.map(({ id }) => id);
    const { changes } = await recompute(store, { records, item_ids }, { company_id, coverage, now_ms });
    const differences = { ...changes, cells: [], match_cells: [] };
    assertEqual(differences, noItemChanges(company_id), 'a recomputation of all records');
    const counted = new Map<string, SummaryCell>();
    for (const item of items) {
      const cell = cellOf(item);
      const { count, sum } = counted.get(cellKeyOf(cell)) ?? { count: 0, sum: 0 };
      counted.set(cellKeyOf(cell), { ...cell, count: count + 1, sum: sum + cell.sum });
    }
    const inOrder = (cells: Iterable<SummaryCell>) => [...cells].sort((a, b) => (cellKeyOf(a) < cellKeyOf(b) ? -1 : 1));
    assertEqual(inOrder(await store.cells(company_id)), inOrder(counted.values()), 'the cells');
    const matches = Map.groupBy(items.flatMap(matchCellsOf), matchCellKeyOf);
    const cells = await store.matchCells(company_id);
    assertEqual(
      cells.map((cell) => [matchCellKeyOf(cell), cell.count]).sort(),
      [...matches].map(([key, of_key]) => [key, of_key.length]).sort(),
      'the cells of matches',
    );
  });
}

/**
 * The contract of every adapter of `ReconciliationStore`, and of what keeps its items up to date.
 */
export function reconciliationStoreContract(
  runs: PropertyRuns = { numRuns: 25 },
): readonly ContractRule<StorageUnderTest>[] {
  return [
    ...reconciliation_list_contract,
    {
      rule: 'any order of arrival and any split over steps end with the same items',
      async check(open) {
        const storageOfRun = openForRuns(open);
        await fc.assert(
          fc.asyncProperty(world_plans, arrival_plans, async (plan, arrival) => {
            const storage = await storageOfRun();
            const expected = await StoredWorld.arrived(storage, plan);
            const found = await StoredWorld.arrived(storage, plan, arrival);
            assertEqual(await found.items(), await expected.items(), 'the items');
            await assertConsistent(expected);
            await assertConsistent(found);
          }),
          runs,
        );
      },
    },
    {
      rule: 'a rebuild finds no difference in what was kept up to date, and mends what was lost, while records wait',
      async check(open) {
        const storageOfRun = openForRuns(open);
        await fc.assert(
          fc.asyncProperty(world_plans, arrival_plans, async (plan, arrival) => {
            const storage = await storageOfRun();
            const world = await StoredWorld.arrived(storage, plan, arrival);
            const { company_id } = world;
            const ports = { unitOfWork: storage.unitOfWork, clock: world.clock() };
            const before = await world.items();
            const checked = await rebuild(ports, { company_id, check_only: true, batch_max: 3 });
            const rebuilt = await rebuild(ports, { company_id, check_only: false, batch_max: 3 });
            for (const found of [checked, rebuilt]) {
              assertEqual(
                [found.items_different, found.entries_different, found.cells_different],
                [0, 0, 0],
                'the differences',
              );
            }
            await lose(world);
            await world.touchClearings();
            await rebuild(ports, { company_id, check_only: false, batch_max: 3 });
            assertEqual(await world.items(), before, 'the mended items');
            await assertConsistent(world);
          }),
          runs,
        );
      },
    },
    {
      rule: 'nothing is lost or done twice when several processes keep up while records arrive',
      async check(open) {
        const storagesOfRun = openForRuns(async () => {
          const storage = await open();
          return [storage, await storage.another()] as const;
        });
        await fc.assert(
          fc.asyncProperty(world_plans, async (plan) => {
            const [storage, other] = await storagesOfRun();
            const expected = await StoredWorld.arrived(storage, plan);
            const world = await StoredWorld.on(storage);
            world.now_ms = expected.now_ms;
            const { company_id } = world;
            const follow = ({ unitOfWork }: StorageUnderTest) =>
              catchUp({ unitOfWork, clock: world.clock() }, company_id, { batch_max: 2 });
            const arrivals = [...world.arrivalsOf(plan)];
            // Moves come after what they move.
            const in_order = arrivals.toSorted((a, b) => Number(a.kind === 'move') - Number(b.kind === 'move'));
            for (let at = 0; at < in_order.length; at += 3) {
              const write = async () => {
                for (const arrival of in_order.slice(at, at + 3)) await world.write(arrival);
              };
              await Promise.all([write(), follow(storage), follow(other)]);
            }
            await world.catchUp(500);
            assertEqual(await world.items(), await expected.items(), 'the items');
            await assertConsistent(world);
          }),
          { ...runs, numRuns: runs.numRuns ?? 10 },
        );
      },
    },
  ];
}

/** Removes every second item and all cells and entries, as no use case does. */
async function lose({ company_id, storage }: StoredWorld): Promise<void> {
  await storage.unitOfWork.run(async (tx) => {
    const store = tx.reconciliation;
    await store.lockCompany(company_id);
    const items = await store.itemsAfter(company_id, null, 1_000);
    const entries = await store.entriesAfter(company_id, null, 1_000);
    await store.write({
      ...noItemChanges(company_id),
      removed_ids: items.filter((_item, at) => at % 2 === 0).map(({ id }) => id),
      entries_removed: entries.filter((_entry, at) => at % 3 !== 0),
      cells: (await store.cells(company_id)).map((cell) => ({ ...cell, count: -cell.count, sum: -cell.sum })),
      match_cells: (await store.matchCells(company_id)).map((cell) => ({ ...cell, count: -cell.count })),
    });
  });
}
