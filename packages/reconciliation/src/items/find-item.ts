import type { Item } from '../item.ts';
import { itemIdOf, type RecordKey, type RecordKind } from '../item-id.ts';
import { entryKeyOfClearing, entryKeyOfLine } from '../pairing/entry-key.ts';
import type { ReconciliationStore } from '../ports.ts';

type FindingStore = Pick<ReconciliationStore, 'items' | 'clearings' | 'clearingIdsOf' | 'lines' | 'entriesOf'>;

/**
 * The item that has a record; null when none has. Of an authorization with frozen and later
 * clearings, the frozen item.
 */
export async function findItem(store: FindingStore, company_id: number, record: RecordKey): Promise<Item | null> {
  const found = await findItems(store, company_id, [record]);
  return found.get(itemIdOf(record)) ?? null;
}

/**
 * The items that have these records, as `findItem` finds each, by the `itemIdOf` of the record.
 * Costs the same few queries however many records there are.
 */
export async function findItems(
  store: FindingStore,
  company_id: number,
  records: readonly RecordKey[],
): Promise<ReadonlyMap<number, Item>> {
  const idsOf = (wanted: RecordKind) => records.filter(({ kind }) => kind === wanted).map(({ id }) => id);
  const lines = await store.lines(company_id, idsOf('line'));
  const cleared_ids = await store.clearingIdsOf(idsOf('authorization'));
  const clearings = await store.clearings(company_id, [...new Set([...idsOf('clearing'), ...cleared_ids])]);
  const entries = await store.entriesOf(company_id, [
    ...lines.map((line) => ({ key: entryKeyOfLine(line), record: { kind: 'line' as const, id: line.id } })),
    ...clearings.map((row) => ({ key: entryKeyOfClearing(row), record: { kind: 'clearing' as const, id: row.id } })),
  ]);
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

function hasRecord({ authorization_ids, clearing_ids, line_ids }: Item, { kind, id }: RecordKey): boolean {
  const ids = { authorization: authorization_ids, clearing: clearing_ids, line: line_ids }[kind];
  return ids.includes(id);
}
