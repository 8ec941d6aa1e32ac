import type { Call } from '@tallystick/kernel';
import type { Item } from '../item.ts';
import { type RecordKey, recordsOf } from '../item-id.ts';
import { findSeenItems } from '../items/read-items.ts';
import { refresh } from '../keeping/keep-up.ts';
import type { ActTx, Situation } from './act-plan.ts';
import type { ActRequest } from './act-request.ts';

/**
 * Locks the cards of items and the company, and brings the items up to date. A pass about the cards
 * has committed, so that its acts are seen, or comes later and sees those of this transaction.
 * Returns the records of the items. Unknown ids are left out.
 */
export async function lockItems(tx: ActTx, call: Call, ids: readonly number[]): Promise<readonly RecordKey[]> {
  const seen = await findSeenItems(tx, call, ids);
  const items = [...seen.values()].map(({ item }) => item);
  await lockCards(tx, call, items);
  const records = items.flatMap(recordsOf);
  await refresh(tx, call, records);
  return records;
}

/** A request to act on an item. */
export interface AskedAct {
  readonly item_id: number;
  readonly request: ActRequest;
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
  const seen = await findSeenItems(
    tx,
    call,
    asked.map(({ item_id }) => item_id),
  );
  const clearing_ids = new Set([...seen.values()].flatMap(({ item }) => item.clearing_ids));
  const found = await tx.reconciliation.clearings(call.company_id, [...clearing_ids]);
  const by_id = new Map(found.map((clearing) => [clearing.id, clearing]));
  return asked.map(({ item_id, request }) => {
    const its = seen.get(item_id);
    if (its === undefined) return null;
    const clearings = its.item.clearing_ids.flatMap((id) => by_id.get(id) ?? []);
    return { ...its, tx, call, request, clearings, is_against_rules: false };
  });
}

/** Locks the cards of items; before the company. */
async function lockCards(tx: ActTx, { company_id }: Call, items: readonly Item[]): Promise<void> {
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
