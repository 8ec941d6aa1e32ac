import { Refusal } from '@tallystick/kernel';
import {
  type ActKind,
  act_kinds,
  daysAfter,
  type Item,
  itemIdOf,
  type RecordKey,
  recordOfItemId,
  recordsOf,
} from '@tallystick/reconciliation';
import fc from 'fast-check';
import { type ActWorld, authorization, clearing, line } from './act-world.ts';

/** A record of a small world. Records with the same code or reference may belong together. */
export interface RecordPlan {
  readonly kind: 'authorization' | 'clearing' | 'refund' | 'line' | 'late line' | 'fee';
  readonly amount: number;
  /** 0: none. */
  readonly code: number;
  /** 0: none. */
  readonly reference: number;
  /** After 2026-05-20, which is the date of a record without it. */
  readonly days?: number;
}

/** What a person tries: the places of items wrap around. */
export interface Attempt {
  readonly action: ActKind;
  readonly item: number;
  readonly other: number;
}

export const record_plan: fc.Arbitrary<RecordPlan> = fc.record({
  kind: fc.constantFrom('authorization', 'clearing', 'clearing', 'refund', 'line', 'line', 'late line', 'fee'),
  amount: fc.constantFrom(400, 600, 1_000),
  code: fc.nat(2),
  reference: fc.nat(2),
});

/** What a person tries on some item. */
export const attempt_plan: fc.Arbitrary<Attempt> = fc.record({
  action: fc.constantFrom(...act_kinds, 'match', 'match', 'unmatch'),
  item: fc.nat(20),
  other: fc.nat(20),
});

/** Lets the record arrive. Returns it. */
export async function arrive(
  world: ActWorld,
  { kind, amount, code, reference, days = 0 }: RecordPlan,
): Promise<RecordKey> {
  const coded = { amount, ...(code === 0 ? {} : { approval_code: `A0000${code}`, merchant_id: `M${code}` }) };
  const number = reference === 0 ? null : `7412345606100000000${reference}017`;
  const date = daysAfter('2026-05-20', kind === 'late line' ? days + 10 : days);
  if (kind === 'authorization') return authorization(await world.authorize(coded));
  if (kind === 'clearing' || kind === 'refund') {
    const clearing_type = kind === 'refund' ? 'CREDIT' : 'DEBIT';
    const settled = { acquirer_reference_data: number, settlement_date: date, clearing_type } as const;
    return clearing(await world.clear({ ...coded, ...settled }));
  }
  return line(await world.line({ amount, reference: number, date, code: kind === 'fee' ? '825' : '821' }));
}

/**
 * The items in the order in which their first records arrived. Ids would order them otherwise in
 * each world, so that a failure could not be repeated.
 */
export async function itemsInOrder(world: ActWorld, arrived: readonly RecordKey[]): Promise<readonly Item[]> {
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

/** Tries an act, and returns the item afterwards; null: it was refused. */
export async function tryAct(
  world: ActWorld,
  items: readonly Item[],
  { action, item: at, other: other_at }: Attempt,
): Promise<Item | null> {
  const item = items[at % items.length]!;
  const request = action === 'match' ? { with: withOf(item, items[other_at % items.length]!) } : {};
  try {
    return await world.act(recordOfItemId(item.id)!, action, request);
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}
