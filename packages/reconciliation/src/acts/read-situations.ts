import type { Call } from '@tallystick/kernel';
import type { Item } from '../item.ts';
import { idsOfKind, type RecordKey, recordOfItemId, recordsOf } from '../item-id.ts';
import { findSeenItems } from '../items/read-items.ts';
import { refresh } from '../keeping/keep-up.ts';
import type { ActTx, Situation } from './act-plan.ts';
import { type AskedAct, KnownRecords } from './known-records.ts';

/**
 * Locks the cards of items and the company, and brings the items up to date. A pass about the cards
 * has committed, so that its acts are seen, or comes later and sees those of this transaction.
 * Returns the records of the items, and those that the ids name.
 */
export async function lockItems(tx: ActTx, call: Call, ids: readonly number[]): Promise<readonly RecordKey[]> {
  const seen = await findSeenItems(tx, call, ids);
  const items = [...new Set([...seen.values()].map(({ item }) => item))];
  const named = ids.map(recordOfItemId).filter((record) => record !== null);
  const records = [...items.flatMap(recordsOf), ...named];
  await lockRecordsOf(tx, call, items, records);
  return records;
}

/** Locks the cards of items and the company, and brings the items of the records up to date. */
export async function lockRecordsOf(
  tx: ActTx,
  call: Call,
  items: readonly Item[],
  records: readonly RecordKey[],
): Promise<void> {
  await lockCards(tx, call, items);
  await tx.reconciliation.lockCompany(call.company_id);
  // Items are up to date unless something waits: to find that out costs one query.
  if (await tx.reconciliation.hasWork(call.company_id, call.now_ms)) await refresh(tx, call, records);
}

/**
 * What the acts are decided from, in their order; null for an unknown item. Costs the same few
 * queries however many acts there are.
 */
export async function readSituations(
  tx: ActTx,
  call: Call,
  asked: readonly AskedAct[],
): Promise<readonly (Situation | null)[]> {
  const known = await KnownRecords.read(tx, call, asked);
  return asked.map(({ item_id, request }) => {
    const its = known.seenItem(item_id);
    if (its === null) return null;
    const clearings = its.item.clearing_ids.flatMap((id) => known.clearings.get(id) ?? []);
    return { ...its, call, request, known, clearings, is_against_rules: false, is_of_table: false };
  });
}

/** Locks the cards of items; before the company. */
async function lockCards(tx: ActTx, { company_id }: Call, items: readonly Item[]): Promise<void> {
  const records = items.flatMap(recordsOf);
  const clearings = await tx.reconciliation.clearings(company_id, idsOfKind('clearing', records));
  const purchases = await tx.reconciliation.authorizations(company_id, idsOfKind('authorization', records));
  const card_ids = new Set([...clearings, ...purchases].map(({ card_id }) => card_id));
  await tx.cards.lock(company_id, [...card_ids]);
}
