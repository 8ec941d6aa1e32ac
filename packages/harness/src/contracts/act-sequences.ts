import { assert, Refusal } from '@tallystick/kernel';
import {
  type Act,
  type ActKind,
  act_kinds,
  type Item,
  itemIdOf,
  type RecordKey,
  recordOfItemId,
  recordsOf,
} from '@tallystick/reconciliation';
import fc from 'fast-check';
import { ActWorld, assertSameState, authorization, clearing, line, type WorldState } from './act-world.ts';
import type { ContractRule } from './contract-rule.ts';
import type { PropertyRuns } from './event-store.ts';
import type { StorageUnderTest } from './storage.ts';

/** A record of a small world. Records with the same code or reference may belong together. */
interface RecordPlan {
  readonly kind: 'authorization' | 'clearing' | 'refund' | 'line' | 'late line' | 'fee';
  readonly amount: number;
  /** 0: none. */
  readonly code: number;
  /** 0: none. */
  readonly reference: number;
}

/** What a person tries: the places of items wrap around. */
interface Attempt {
  readonly action: ActKind;
  readonly item: number;
  readonly other: number;
}

const record_plan: fc.Arbitrary<RecordPlan> = fc.record({
  kind: fc.constantFrom('authorization', 'clearing', 'clearing', 'refund', 'line', 'line', 'late line', 'fee'),
  amount: fc.constantFrom(400, 600, 1_000),
  code: fc.nat(2),
  reference: fc.nat(2),
});

const record_plans = fc.array(record_plan, { minLength: 3, maxLength: 9 });

const attempts: fc.Arbitrary<readonly Attempt[]> = fc.array(
  fc.record({
    action: fc.constantFrom(...act_kinds, 'match', 'match', 'unmatch'),
    item: fc.nat(20),
    other: fc.nat(20),
  }),
  { minLength: 3, maxLength: 14 },
);

async function arrive(world: ActWorld, { kind, amount, code, reference }: RecordPlan): Promise<RecordKey> {
  const coded = { amount, ...(code === 0 ? {} : { approval_code: `A0000${code}`, merchant_id: `M${code}` }) };
  const number = reference === 0 ? null : `7412345606100000000${reference}017`;
  if (kind === 'authorization') return authorization(await world.authorize(coded));
  if (kind === 'clearing') return clearing(await world.clear({ ...coded, acquirer_reference_data: number }));
  if (kind === 'refund') {
    return clearing(await world.clear({ ...coded, acquirer_reference_data: number, clearing_type: 'CREDIT' }));
  }
  const date = kind === 'late line' ? '2026-05-30' : '2026-05-20';
  return line(await world.line({ amount, reference: number, date, code: kind === 'fee' ? '825' : '821' }));
}

/**
 * The items in the order in which their first records arrived. Ids would order them otherwise in
 * each world, so that a failure could not be repeated.
 */
async function itemsInOrder(world: ActWorld, arrived: readonly RecordKey[]): Promise<readonly Item[]> {
  const places = new Map(arrived.map((record, place) => [itemIdOf(record), place]));
  const placeOf = (item: Item) => Math.min(...recordsOf(item).map((record) => places.get(itemIdOf(record))!));
  return (await world.items()).toSorted((a, b) => placeOf(a) - placeOf(b));
}

/** What a match of an item with another one names: the side that the item lacks. */
function withOf(item: Item, other: Item): object {
  const [root_id] = other.authorization_ids;
  if (item.clearing_ids.length > 0 && root_id !== undefined && other.id !== item.id)
    return { authorization_id: root_id };
  const { clearing_ids, line_ids } = other;
  if (item.line_ids.length > 0 && clearing_ids.length > 0) return { clearing_ids };
  return line_ids.length > 0 ? { line_ids } : { clearing_ids };
}

interface Done {
  readonly before: WorldState;
  readonly acts: readonly Act[];
  /** The act that a reopening undid. */
  readonly undone: Act | null;
}

/** Tries what the attempt says. Null: it was refused, and nothing changed. */
async function attempt(
  world: ActWorld,
  arrived: readonly RecordKey[],
  { action, item: at, other: other_at }: Attempt,
): Promise<Done | null> {
  const items = await itemsInOrder(world, arrived);
  const item = items[at % items.length]!;
  const record = recordOfItemId(item.id)!;
  const before = await world.state();
  const { history } = await world.read(record);
  const request = action === 'match' ? { with: withOf(item, items[other_at % items.length]!) } : {};
  try {
    const after = await world.act(record, action, request);
    const all = (await world.read(recordOfItemId(after.id)!)).history;
    const seen = new Set(history.map(({ id }) => id));
    const acts = all.filter(({ id, action: its }) => !seen.has(id) && its === action);
    assert(acts.length > 0, `${action} is in no history`);
    const { fingerprint } = acts[0]!.subject;
    const undone = history.findLast((act) => act.action !== 'reopen' && act.subject.fingerprint === fingerprint);
    return { before, acts: acts.slice(-2), undone: action === 'reopen' ? (undone ?? null) : null };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    assertSameState(await world.state(), before, `the world after a refused ${action}`);
    return null;
  }
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
        const storage = await open();
        await fc.assert(
          fc.asyncProperty(record_plans, attempts, async (records, tried) => {
            const world = await ActWorld.on(storage);
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
