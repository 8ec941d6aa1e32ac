import { type Call, type Page, type PageRequest, Refusal } from '@tallystick/kernel';
import { findItem } from './find-item.ts';
import type { Item } from './item.ts';
import type { ItemFilter } from './item-filter.ts';
import { recordOfItemId, recordsOf } from './item-id.ts';
import type { ReconciliationTx } from './ports.ts';
import type { SeenItem } from './refuse-act.ts';

export { recordsOf } from './item-id.ts';

type ItemsTx = Pick<ReconciliationTx, 'reconciliation'>;

/** Lists the company's items that fit, newest first. */
export function listItems(
  { reconciliation }: ItemsTx,
  { company_id }: Pick<Call, 'company_id'>,
  filter: ItemFilter,
  page: PageRequest,
): Promise<Page<Item>> {
  return reconciliation.list(company_id, filter, page);
}

/**
 * Reads an item. The id of an item that was merged into another one leads to that. Refuses
 * (`not_found`) an unknown id, and that of another company.
 */
export async function readItem(tx: ItemsTx, call: Pick<Call, 'company_id'>, id: number): Promise<SeenItem> {
  const seen = await findSeenItem(tx, call, id);
  if (seen === null) throw new Refusal('not_found', 'there is no item with this id');
  return seen;
}

/** The item as `readItem` reads it; null for an unknown id, and that of another company. */
export async function findSeenItem(
  { reconciliation }: ItemsTx,
  { company_id }: Pick<Call, 'company_id'>,
  id: number,
): Promise<SeenItem | null> {
  const record = recordOfItemId(id);
  const item = record === null ? null : await findItem(reconciliation, company_id, record);
  return item === null ? null : { item, history: await reconciliation.actsOn(company_id, recordsOf(item)) };
}
