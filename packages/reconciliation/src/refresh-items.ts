import type { Call } from '@tallystick/kernel';
import type { ActTx } from './act-plan.ts';
import type { Item } from './item.ts';
import type { RecordKey } from './item-id.ts';
import { recomputeAndWrite } from './keep-up.ts';

/** Locks the cards of items; before the company. */
export async function lockCards(tx: ActTx, { company_id }: Call, items: readonly Item[]): Promise<void> {
  const ids = (one: (item: Item) => readonly number[]) => items.flatMap(one);
  const clearings = await tx.reconciliation.clearings(
    company_id,
    ids(({ clearing_ids }) => clearing_ids),
  );
  const purchases = await tx.reconciliation.authorizations(
    company_id,
    ids(({ authorization_ids }) => authorization_ids),
  );
  const card_ids = new Set([...clearings, ...purchases].map(({ card_id }) => card_id));
  await tx.cards.lock(company_id, [...card_ids]);
}

/** Recomputes the items of these records, within a transaction. Locks the company. */
export async function refresh(tx: ActTx, call: Call, records: readonly RecordKey[]): Promise<void> {
  const { company_id, now_ms } = call;
  await tx.reconciliation.lockCompany(company_id);
  const coverage = await tx.reconciliation.readCoverage(company_id);
  await recomputeAndWrite(tx, { records, item_ids: [] }, { company_id, coverage, now_ms });
}
