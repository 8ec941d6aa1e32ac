import type { Call, UnitOfWork } from '@tallystick/kernel';
import { dateOf } from './calendar.ts';
import type { ItemFilter } from './item-filter.ts';
import { itemTableHead, itemTableRow } from './item-table.ts';
import type { ReconciliationTx } from './ports.ts';
import { listItems } from './read-items.ts';

/** The items of one look at the database. */
const batch_size = 500;

/**
 * Writes the items that fit as a table in CSV, newest first. Each batch is a transaction of its
 * own, so that a slow reader holds none. An item that changes meanwhile is written as it was or as
 * it is.
 */
export async function* exportItems(
  { unitOfWork }: { readonly unitOfWork: UnitOfWork<Pick<ReconciliationTx, 'reconciliation'>> },
  call: Pick<Call, 'company_id' | 'now_ms'>,
  filter: ItemFilter,
): AsyncGenerator<string, void, undefined> {
  const today = dateOf(call.now_ms);
  let head = itemTableHead();
  let after: string | null | undefined;
  do {
    const request = { limit: batch_size, ...(after ? { after } : {}) };
    const page = await unitOfWork.read((tx) => listItems(tx, call, filter, request));
    yield head + page.items.map((item) => itemTableRow(item, today)).join('');
    head = '';
    after = page.next;
  } while (after !== null);
}
