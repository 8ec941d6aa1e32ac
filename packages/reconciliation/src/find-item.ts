import { entryKeyOfClearing, entryKeyOfLine } from './entry-key.ts';
import type { Item } from './item.ts';
import { itemIdOf, type RecordKey } from './item-id.ts';
import type { Entry, ReconciliationStore } from './ports.ts';

/**
 * The item that has a record; null when none has. Of an authorization with frozen and later
 * clearings, the frozen item.
 */
export async function findItem(
  store: Pick<ReconciliationStore, 'items' | 'clearings' | 'clearingIdsOf' | 'lines' | 'entriesOf'>,
  company_id: number,
  record: RecordKey,
): Promise<Item | null> {
  const entries = await store.entriesOf(company_id, await placesOf(store, company_id, record));
  const ids = new Set([itemIdOf(record), ...entries.map(({ item_id }) => item_id)]);
  const items = await store.items(company_id, [...ids]);
  const having = items.filter((item) => hasRecord(item, record));
  return having.find(({ period_id }) => period_id !== null) ?? having[0] ?? null;
}

/** The places of the record; of an authorization those of its clearings. */
async function placesOf(
  store: Pick<ReconciliationStore, 'clearings' | 'clearingIdsOf' | 'lines'>,
  company_id: number,
  { kind, id }: RecordKey,
): Promise<readonly Pick<Entry, 'key' | 'record'>[]> {
  if (kind === 'line') {
    const lines = await store.lines(company_id, [id]);
    return lines.map((line) => ({ key: entryKeyOfLine(line), record: { kind, id } }));
  }
  const clearing_ids = kind === 'clearing' ? [id] : await store.clearingIdsOf([id]);
  const clearings = await store.clearings(company_id, clearing_ids);
  return clearings.map((clearing) => ({
    key: entryKeyOfClearing(clearing),
    record: { kind: 'clearing', id: clearing.id },
  }));
}

function hasRecord({ authorization_ids, clearing_ids, line_ids }: Item, { kind, id }: RecordKey): boolean {
  const ids = { authorization: authorization_ids, clearing: clearing_ids, line: line_ids }[kind];
  return ids.includes(id);
}
