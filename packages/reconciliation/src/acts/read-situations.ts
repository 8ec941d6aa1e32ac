import type { Call } from '@tallystick/kernel';
import { idsOfKind, type RecordKey, recordOfItemId, recordsOf } from '../item-id.ts';
import { findItems } from '../items/find-item.ts';
import { refresh } from '../keeping/keep-up.ts';
import type { ReconciliationTx } from '../ports.ts';
import type { ActTx, Situation } from './act-plan.ts';
import { type ActRequest, concernedIds } from './act-request.ts';
import { type AskedAct, KnownRecords } from './known-records.ts';

/**
 * Locks the company, and brings the items that acts concern up to date. A pass that records an act
 * of the company has committed, so that its act is seen, or comes later and sees those of this
 * transaction. Cards are locked only for acts that depend on what passes change.
 */
export async function lockItems(tx: ActTx, call: Call, asked: readonly AskedAct[]): Promise<void> {
  const { reconciliation } = tx;
  const of_cards = asked.filter(({ request }) => dependsOnCards(request));
  if (of_cards.length > 0) {
    const items = await findItems(reconciliation, call.company_id, recordsNamedBy(of_cards));
    await lockCards(tx, call, [...items.values()].flatMap(recordsOf));
  }
  await lockUpToDate(tx, call, recordsNamedBy(asked));
}

/** Locks the company, and brings the items of the records up to date. */
export async function lockUpToDate(tx: ReconciliationTx, call: Call, records: readonly RecordKey[]): Promise<void> {
  await tx.reconciliation.lockCompany(call.company_id);
  // Items are up to date unless something waits: to find that out costs one query.
  if (await tx.reconciliation.hasWork(call.company_id, call.now_ms)) await refresh(tx, call, records);
}

/** Locks the cards of records; before the company. */
export async function lockCards(tx: ActTx, { company_id }: Call, records: readonly RecordKey[]): Promise<void> {
  const clearings = await tx.reconciliation.clearings(company_id, idsOfKind('clearing', records));
  const purchases = await tx.reconciliation.authorizations(company_id, idsOfKind('authorization', records));
  const card_ids = new Set([...clearings, ...purchases].map(({ card_id }) => card_id));
  await tx.cards.lock(company_id, [...card_ids]);
}

/**
 * Whether the act is planned from matches of clearings with authorizations. A match with lines is
 * about dates and amounts, which no pass changes, and a decision is about the item as it is stored.
 */
function dependsOnCards({ action, with: matched_with }: ActRequest): boolean {
  if (action === 'match') return matched_with!.line_ids.length === 0;
  return action !== 'accept' && action !== 'ignore';
}

function recordsNamedBy(asked: readonly AskedAct[]): readonly RecordKey[] {
  return asked.flatMap(concernedIds).flatMap((id) => recordOfItemId(id) ?? []);
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
