import { assert, Fault, fixedClock } from '@tallystick/kernel';
import {
  catchUp,
  catchUpAll,
  closePeriod,
  type Item,
  OtherStatementKey,
  type RebuildOptions,
  type ReconciliationPorts,
  rebuild,
  refuseOtherStatementKey,
  reopenPeriod,
  type StatementKeySetting,
} from '@tallystick/reconciliation';
import fc from 'fast-check';
import { ActWorld, assertRebuilt, assertSameState, clearing, line } from './act-world.ts';
import type { ContractRule } from './contract-rule.ts';
import { assertEqual, assertIncludes, assertRejects } from './equality.ts';
import type { PropertyRuns } from './event-store.ts';
import { openForRuns } from './open-for-runs.ts';
import { assertConsistent } from './reconciliation-store.ts';
import { arrival_plans, ReconciliationWorld, world_plans } from './reconciliation-world.ts';
import type { StorageUnderTest } from './storage.ts';

/** Storage of which processes have different settings of the statement key. */
export interface StorageOfSettings extends StorageUnderTest {
  /** The same storage as a process with this setting sees it. */
  withStatementKey(setting: StatementKeySetting): Promise<StorageUnderTest>;
}

/** A process of each setting. */
type Processes = Readonly<Record<StatementKeySetting, StorageUnderTest>>;

async function processesOf(open: () => Promise<StorageOfSettings>): Promise<Processes> {
  const storage = await open();
  return {
    'bin+sequence': await storage.withStatementKey('bin+sequence'),
    whole: await storage.withStatementKey('whole'),
  };
}

/** A setting, and the one to which it is changed. */
const changes = fc.constantFrom(['bin+sequence', 'whole'] as const, ['whole', 'bin+sequence'] as const);

/** Rebuilds the items of the world with the setting of this process. */
async function rebuildBy({ unitOfWork }: StorageUnderTest, world: ReconciliationWorld): Promise<void> {
  const { company_id } = world;
  await rebuild({ unitOfWork, clock: world.clock() }, { company_id, check_only: false, batch_max: 3 });
}

/** What ends a rebuild as a crash would. */
class Crash extends Error {}

/** Rebuilds until so many batches are done; to the end when there are fewer, or for null. */
async function rebuildOrCrash(
  ports: ReconciliationPorts,
  options: RebuildOptions,
  batches: number | null,
): Promise<void> {
  let done = 0;
  const onProgress = (): void => {
    done += 1;
    if (batches !== null && done > batches) throw new Crash();
  };
  try {
    await rebuild(ports, { ...options, onProgress });
  } catch (error) {
    if (!(error instanceof Crash)) throw error;
  }
}

async function assertRefused(work: Promise<unknown>, what: string): Promise<void> {
  const isExpected = (error: unknown): boolean =>
    error instanceof OtherStatementKey && error instanceof Fault && error.retryable;
  await assertRejects(work, isExpected, what);
}

/** How the company's items are made; null: with this setting. */
async function madeOtherwise({ unitOfWork }: StorageUnderTest, company_id: number) {
  return await unitOfWork.read(({ reconciliation }) => reconciliation.findOtherStatementKey(company_id));
}

const long = '74123456061000000000017';
const short = '41234500000000001';
/** The same without its date. */
const dated = '74123456065000000000019';

const references = { net_reference_number: 'MCCCCCCCC0520', approval_code: 'A55555', merchant_id: 'M5' };

/** A purchase that is matched without the date of its reference only. */
async function matchedPurchase(world: ActWorld) {
  const root_id = await world.authorize(references);
  const clearing_id = await world.clear({ ...references, acquirer_reference_data: long });
  const line_id = await world.line({ reference: short });
  const { item } = await world.read(clearing(clearing_id));
  assertEqual([item.status, item.line_ids], ['matched', [line_id]], 'the purchase');
  return { root_id, clearing_id, line_id };
}

async function rebuildWorld(world: ActWorld): Promise<void> {
  await rebuild(world.ports(), { company_id: world.company_id, check_only: false });
}

async function storedItems({ storage, company_id }: ActWorld): Promise<readonly Item[]> {
  const items = await storage.unitOfWork.read((tx) => tx.reconciliation.itemsAfter(company_id, null, 1_000));
  return items.toSorted((a, b) => a.id - b.id);
}

/** How the setting of the statement key decides pairs, and how it is changed. */
export function statementKeyContract(runs: PropertyRuns = { numRuns: 25 }): readonly ContractRule<StorageOfSettings>[] {
  return [
    {
      rule: 'references that differ in the date find each other by BIN and sequence, and not as a whole',
      async check(open) {
        const processes = await processesOf(open);
        const lineOf = async (setting: StatementKeySetting, reference: string) => {
          const world = await ActWorld.on(processes[setting]);
          await world.authorize(references);
          const clearing_id = await world.clear({ ...references, acquirer_reference_data: long });
          const line_id = await world.line({ reference });
          const { item } = await world.read(clearing(clearing_id));
          return item.line_ids.includes(line_id);
        };
        for (const reference of [long, short, dated]) {
          assertEqual(await lineOf('bin+sequence', reference), true, `${reference} by BIN and sequence`);
          assertEqual(await lineOf('whole', reference), reference === long, `${reference} as a whole`);
        }
      },
    },
    {
      rule: 'a rebuild with another statement key ends with the items of a company that always had it, and back',
      async check(open) {
        const processesOfRun = openForRuns(() => processesOf(open));
        await fc.assert(
          fc.asyncProperty(world_plans, arrival_plans, changes, async (plan, arrival, [from, to]) => {
            const processes = await processesOfRun();
            const world = await ReconciliationWorld.arrived(processes[from], plan, arrival);
            const expected = await ReconciliationWorld.arrived(processes[to], plan);
            const before = await world.items();
            await rebuildBy(processes[to], world);
            assertEqual(await world.items(), await expected.items(), 'the items with the other key');
            await assertConsistent(world, processes[to]);
            await rebuildBy(processes[from], world);
            assertEqual(await world.items(), before, 'the items with the first key again');
            await assertConsistent(world, processes[from]);
          }),
          runs,
        );
      },
    },
    {
      rule: 'a rebuild that is stopped anywhere is refused to everybody until another one completes it',
      async check(open) {
        const processesOfRun = openForRuns(() => processesOf(open));
        await fc.assert(
          fc.asyncProperty(
            world_plans,
            changes,
            fc.nat(40),
            fc.nat(25),
            fc.boolean(),
            async (plan, [from, to], early, batches, goes_back) => {
              const processes = await processesOfRun();
              const completed_with = goes_back ? from : to;
              const expected = await ReconciliationWorld.arrived(processes[completed_with], plan);
              const world = await ReconciliationWorld.on(processes[from]);
              world.now_ms = expected.now_ms;
              const arrivals = [...world.arrivalsOf(plan)];
              // Moves come after what they move.
              const in_order = arrivals.toSorted((a, b) => Number(a.kind === 'move') - Number(b.kind === 'move'));
              for (const arrival of in_order.slice(0, early)) await world.write(arrival);
              await world.catchUp(500);
              const ports = { unitOfWork: processes[to].unitOfWork, clock: world.clock() };
              const options = { company_id: world.company_id, check_only: false, batch_max: 2 };
              await rebuildOrCrash(ports, options, batches);
              const made = await madeOtherwise(processes[to], world.company_id);
              const stopped = made !== null;
              if (stopped) assertEqual([made.statement_key, made.remake?.statement_key], [from, to], 'what is remade');
              for (const arrival of in_order.slice(early)) await world.write(arrival);
              const { company_id } = world;
              for (const setting of [from, to]) {
                const { unitOfWork } = processes[setting];
                const keepUp = catchUp({ unitOfWork, clock: world.clock() }, company_id, { batch_max: 2 });
                if (stopped || setting === from) await assertRefused(keepUp, `keeping up with ${setting}`);
                else await keepUp;
              }
              await rebuildBy(processes[completed_with], world);
              assertEqual(await world.items(), await expected.items(), 'the items in the end');
              await assertConsistent(world, processes[completed_with]);
              assertEqual(await madeOtherwise(processes[completed_with], company_id), null, 'what is left to rebuild');
            },
          ),
          runs,
        );
      },
    },
    {
      rule: 'items that were made with another statement key are neither changed nor read as if they fitted',
      async check(open) {
        const processes = await processesOf(open);
        const world = await ActWorld.on(processes['bin+sequence']);
        const { clearing_id, line_id } = await matchedPurchase(world);
        const break_id = await world.line({ amount: 70 });
        const before = await world.state();
        const items = await storedItems(world);
        const other = world.through(processes.whole);
        const { company_id } = world;
        const made = { company_id, statement_key: 'bin+sequence', remake: null };
        const found = await madeOtherwise(processes.whole, company_id);
        assertEqual(
          found === null ? null : { company_id, statement_key: found.statement_key, remake: found.remake },
          made,
          'what was made otherwise',
        );
        assertEqual(await madeOtherwise(processes['bin+sequence'], company_id), null, 'what was made so');
        const closed_through = '2026-05-31';
        const refused: Readonly<Record<string, () => Promise<unknown>>> = {
          'a start': () => other.storage.unitOfWork.read((tx) => refuseOtherStatementKey(tx.reconciliation)),
          'keeping up': () => other.catchUp(),
          reading: () => other.read(line(line_id)),
          acting: () => other.act(line(break_id), 'accept'),
          closing: () => closePeriod(other.ports(), other.call(), { closed_through }),
          'a check': () => rebuild(other.ports(), { company_id, check_only: true }),
        };
        for (const [what, work] of Object.entries(refused)) await assertRefused(work(), what);
        await world.line({ amount: 90 });
        await assertRefused(catchUpAll(other.ports()), 'keeping up with all');
        assertEqual(await storedItems(world), items, 'the items');
        await rebuildWorld(other);
        assertEqual((await other.items()).length, 4, 'how many items there are as a whole');
        await assertRebuilt(other, 'the rebuilt items');
        await assertRefused(world.read(clearing(clearing_id)), 'reading with the key from before');
        await rebuildWorld(world);
        assertIncludes((await world.state()).items, before.items, 'the items with the first key again');
      },
    },
    {
      rule: 'keeping up with all companies passes over those that were made with another statement key',
      async check(open) {
        const processes = await processesOf(open);
        const refused = await ActWorld.on(processes['bin+sequence']);
        const kept = await ActWorld.on(processes.whole);
        for (const world of [refused, kept]) {
          await world.line({ amount: 70 });
          await world.catchUp();
        }
        for (const world of [refused, kept]) await world.line({ amount: 80 });
        await assertRefused(catchUpAll(kept.ports()), 'keeping up with all');
        const counts = await Promise.all([refused, kept].map(async (world) => (await storedItems(world)).length));
        assertEqual(counts, [1, 2], 'how many items the companies have');
      },
    },
    {
      rule: 'a rebuild with another statement key leaves the items of closed periods as they are',
      async check(open) {
        const processes = await processesOf(open);
        const world = await ActWorld.on(processes['bin+sequence']);
        const { clearing_id, line_id } = await matchedPurchase(world);
        const before = await world.state();
        const period = await closePeriod(world.ports(), world.call(), { closed_through: '2026-05-31' });
        const frozen = await storedItems(world);
        const other = world.through(processes.whole);
        await rebuildWorld(other);
        assertEqual(await other.items(), frozen, 'the frozen items with the other key');
        for (const record of [clearing(clearing_id), line(line_id)]) {
          assertEqual((await other.read(record)).item, frozen[0], `the item of the ${record.kind}`);
        }
        await assertRebuilt(other, 'the frozen items with the other key');
        await rebuildWorld(world);
        assertEqual(await world.items(), frozen, 'the frozen items with the first key');
        await rebuildWorld(other);
        await reopenPeriod(other.ports(), other.call(), period.id);
        const opened = await other.items();
        assertEqual(
          opened.map(({ kind }) => kind).sort(),
          ['unexplained_line', 'unstated'],
          'the items of the reopened period',
        );
        await rebuildWorld(world);
        assertSameState(await world.state(), before, 'the items with the first key, reopened');
      },
    },
    {
      rule: 'a rebuild with another statement key is refused once another one has begun',
      async check(open) {
        const processes = await processesOf(open);
        for (const [next, is_stopped] of [
          ['whole', false],
          ['whole', true],
          ['bin+sequence', false],
        ] as const) {
          const world = await ActWorld.on(processes['bin+sequence']);
          await matchedPurchase(world);
          const first = world.through(processes.whole);
          const second = world.through(processes[next]);
          const later = { ...second.ports(), clock: fixedClock(secondsAfter(second.call().now_ms, 1)) };
          const options = { company_id: world.company_id, check_only: false };
          const { run, read } = first.storage.unitOfWork;
          let transactions = 0;
          const interrupted: ReconciliationPorts['unitOfWork'] = {
            async run(work) {
              transactions += 1;
              if (transactions === 4) await rebuildOrCrash(later, options, is_stopped ? 0 : null);
              return await run(work);
            },
            read,
          };
          await assertRefused(rebuild({ ...first.ports(), unitOfWork: interrupted }, options), 'the first rebuild');
          assert(transactions === 4, 'the first rebuild ended with its next step');
          const left = await madeOtherwise(processes[next], world.company_id);
          assertEqual(left !== null, is_stopped, 'whether something is left to rebuild');
          if (is_stopped) await rebuildWorld(second);
          await assertRebuilt(second, `the items with ${next}`);
        }
      },
    },
  ];
}

function secondsAfter(at_ms: number, seconds: number): number {
  return at_ms + seconds * 1_000;
}
