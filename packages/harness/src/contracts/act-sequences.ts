import { assert } from '@tallystick/kernel';
import { type Act, type RecordKey, recordOfItemId } from '@tallystick/reconciliation';
import fc from 'fast-check';
import { type Attempt, arrive, attempt_plan, itemsInOrder, record_plan, tryAct } from './act-plans.ts';
import { ActWorld, assertSameState, clearing, line, type WorldState } from './act-world.ts';
import type { ContractRule } from './contract-rule.ts';
import type { PropertyRuns } from './event-store.ts';
import { openForRuns } from './open-for-runs.ts';
import type { StorageUnderTest } from './storage.ts';

const record_plans = fc.array(record_plan, { minLength: 3, maxLength: 9 });

const attempts = fc.array(attempt_plan, { minLength: 3, maxLength: 14 });

interface Done {
  readonly before: WorldState;
  readonly acts: readonly Act[];
  /** The act that a reopening undid. */
  readonly undone: Act | null;
}

/** Tries what the attempt says. Null: it was refused, and nothing changed. */
async function attempt(world: ActWorld, arrived: readonly RecordKey[], tried: Attempt): Promise<Done | null> {
  const { action, item: at } = tried;
  const items = await itemsInOrder(world, arrived);
  const before = await world.state();
  const { history } = await world.read(recordOfItemId(items[at % items.length]!.id)!);
  const after = await tryAct(world, items, tried);
  if (after === null) {
    assertSameState(await world.state(), before, `the world after a refused ${action}`);
    return null;
  }
  const all = (await world.read(recordOfItemId(after.id)!)).history;
  const seen = new Set(history.map(({ id }) => id));
  const acts = all.filter(({ id, action: its }) => !seen.has(id) && its === action);
  assert(acts.length > 0, `${action} is in no history`);
  const { fingerprint } = acts[0]!.subject;
  const undone = history.findLast((act) => isDecision(act) && act.subject.fingerprint === fingerprint);
  return { before, acts: acts.slice(-2), undone: action === 'reopen' ? (undone ?? null) : null };
}

function isDecision({ action }: Act): boolean {
  return action === 'ignore' || action === 'accept' || action === 'confirm';
}

async function undo(world: ActWorld, { acts, undone }: Done): Promise<void> {
  const { action, item_id, subject } = acts.at(-1)!;
  const [pair] = subject.pairs;
  const line_ids = [...new Set(subject.pairs.map(({ line_id }) => line_id))];
  const clearing_ids = [...new Set(subject.pairs.map(({ clearing_id }) => clearing_id))];
  const { authorization: matched } = subject;
  if (action === 'match' && matched !== null) {
    await world.act(clearing(matched.clearing_id), 'unmatch', { side: 'authorization' });
  } else if (action === 'match') {
    await world.act(line(pair!.line_id), 'unmatch', { side: 'statement' });
  } else if (action === 'unmatch' && matched !== null) {
    const { clearing_id, authorization_id } = matched;
    await world.act(clearing(clearing_id), 'match', { with: { authorization_id, clearing_ids: [clearing_id] } });
  } else if (action === 'unmatch') {
    await world.act(line(pair!.line_id), 'match', { with: { line_ids, clearing_ids } });
  } else {
    await world.act(recordOfItemId(item_id)!, undone?.action ?? 'reopen');
  }
}

/** Sequences of acts (decision: reconciliation, actions). */
export function actSequencesContract(runs: PropertyRuns = { numRuns: 25 }): readonly ContractRule<StorageUnderTest>[] {
  return [
    {
      rule: 'any sequence of acts and their undoing ends where it began, and a refused act changes nothing',
      async check(open) {
        const storageOfRun = openForRuns(open);
        await fc.assert(
          fc.asyncProperty(record_plans, attempts, async (records, tried) => {
            const world = await ActWorld.on(await storageOfRun());
            const arrived: RecordKey[] = [];
            for (const record of records) arrived.push(await arrive(world, record));
            if ((await world.items()).length === 0) return;
            const done: Done[] = [];
            for (const one of tried) {
              const outcome = await attempt(world, arrived, one);
              if (outcome !== null) done.push(outcome);
            }
            for (const one of done.toReversed()) {
              await undo(world, one);
              const { action, subject } = one.acts.at(-1)!;
              assertSameState(await world.state(), one.before, `undone: ${action} ${JSON.stringify(subject)}`);
            }
            await world.close();
          }),
          runs,
        );
      },
    },
  ];
}
