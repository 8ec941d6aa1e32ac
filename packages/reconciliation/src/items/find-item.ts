import type { Item } from '../item.ts';
import { idsOfKind, itemIdOf, type RecordKey } from '../item-id.ts';
import { entryPlacesOf } from '../pairing/entry-key.ts';
import type { ReconciliationStore } from '../ports.ts';

export type FindingStore = Pick<ReconciliationStore, 'items' | 'clearings' | 'clearingIdsOf' | 'lines' | 'entriesOf'>;

/**
 * The items that have these records, by the `itemIdOf` of the record; of an authorization with
 * frozen and later clearings, the frozen item. Costs the same few queries however many records there
 * are.
 */
export async function findItems(
  store: FindingStore,
  company_id: number,
  records: readonly RecordKey[],
): Promise<ReadonlyMap<number, Item>> {
  const lines = await store.lines(company_id, idsOfKind('line', records));
  const cleared_ids = await store.clearingIdsOf(idsOfKind('authorization', records));
  const clearing_ids = new Set([...idsOfKind('clearing', records), ...cleared_ids]);
  const clearings = await store.clearings(company_id, [...clearing_ids]);
  const entries = await store.entriesOf(company_id, entryPlacesOf({ clearings, lines }));
  const item_ids = new Set([...records.map(itemIdOf), ...entries.map(({ item_id }) => item_id)]);
  const items = new Map((await store.items(company_id, [...item_ids])).map((item) => [item.id, item]));
  const entries_of = Map.groupBy(entries, ({ record }) => itemIdOf(record));
  const clearings_of = Map.groupBy(clearings, ({ authorization_id }) => authorization_id);

  /** An authorization is found by its clearings, which have entries. */
  const entriesOf = (record: RecordKey) =>
    record.kind === 'authorization'
      ? (clearings_of.get(record.id) ?? []).flatMap(
          ({ id }) => entries_of.get(itemIdOf({ kind: 'clearing', id })) ?? [],
        )
      : (entries_of.get(itemIdOf(record)) ?? []);

  const found = new Map<number, Item>();
  for (const record of records) {
    const own_id = itemIdOf(record);
    const possible_ids = new Set([own_id, ...entriesOf(record).map(({ item_id }) => item_id)]);
    const having = [...possible_ids].flatMap((id) => items.get(id) ?? []).filter((item) => hasRecord(item, record));
    const item = having.find(({ period_id }) => period_id !== null) ?? having[0];
    if (item !== undefined) found.set(own_id, item);
  }
  return found;
}

function hasRecord(item: Item, { kind, id }: RecordKey): boolean {
  return item[`${kind}_ids`].includes(id);
}
