import { type Call, type Page, Refusal } from '@tallystick/kernel';
import { type Act, recordsOfAct } from '../act.ts';
import type { Item } from '../item.ts';
import { itemIdOf, recordOfItemId, recordsOf } from '../item-id.ts';
import type { ItemPageRequest, ReconciliationTx } from '../ports.ts';
import { findItems } from './find-item.ts';
import type { ItemFilter } from './item-filter.ts';

/** An item with what people did to it, the oldest act first. */
export interface SeenItem {
  readonly item: Item;
  readonly history: readonly Act[];
}

type ItemsTx = Pick<ReconciliationTx, 'reconciliation'>;

/** Lists the company's items that fit, newest first unless the page asks for the oldest. */
export function listItems(
  { reconciliation }: ItemsTx,
  { company_id }: Pick<Call, 'company_id'>,
  filter: ItemFilter,
  page: ItemPageRequest,
): Promise<Page<Item>> {
  return reconciliation.list(company_id, filter, page);
}

/**
 * Reads an item. The id of an item that was merged into another one leads to that. Refuses
 * (`not_found`) an unknown id, and that of another company.
 */
export async function readItem(tx: ItemsTx, call: Pick<Call, 'company_id'>, id: number): Promise<SeenItem> {
  const seen = (await findSeenItems(tx, call, [id])).get(id);
  if (seen === undefined) throw unknownItem();
  return seen;
}

export function unknownItem(): Refusal {
  return new Refusal('not_found', 'there is no item with this id');
}

/**
 * The items as `readItem` reads each, by the ids that were asked for. Unknown ids are left out.
 * Costs the same few queries however many ids there are.
 */
export async function findSeenItems(
  { reconciliation }: ItemsTx,
  { company_id }: Pick<Call, 'company_id'>,
  ids: readonly number[],
): Promise<ReadonlyMap<number, SeenItem>> {
  const records = new Map(ids.map((id) => [id, recordOfItemId(id)]));
  const found = await findItems(
    reconciliation,
    company_id,
    [...records.values()].filter((record) => record !== null),
  );
  const items = [...new Set(found.values())];
  const acts = await reconciliation.actsOn(company_id, items.flatMap(recordsOf));
  const seen = new Map([...historiesOf(items, acts)].map(([item, history]) => [item, { item, history }]));
  return new Map([...found].map(([id, item]) => [id, seen.get(item)!]));
}

/** The acts that concern each of the items, in the order in which they were recorded. */
export function historiesOf(items: readonly Item[], acts: readonly Act[]): ReadonlyMap<Item, readonly Act[]> {
  const acts_of = new Map<number, Set<Act>>();
  for (const act of acts) {
    for (const record of recordsOfAct(act)) acts_of.set(record, (acts_of.get(record) ?? new Set()).add(act));
  }
  return new Map(
    items.map((item) => {
      const its = new Set(recordsOf(item).flatMap((record) => [...(acts_of.get(itemIdOf(record)) ?? [])]));
      return [item, [...its].sort((a, b) => a.id - b.id)];
    }),
  );
}
