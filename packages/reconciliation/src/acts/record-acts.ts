import { auditEntry, type Call } from '@tallystick/kernel';
import type { Act } from '../act.ts';
import type { RecordKey } from '../item-id.ts';
import { refresh } from '../keeping/keep-up.ts';
import { type ActOfPass, type PlannedAct, withSeenActs } from './act-in-pass.ts';
import type { ActTx } from './act-plan.ts';
import { auditActionOf } from './act-sentence.ts';

/** Writes acts and their audit entries. Returns the acts, in the order of those planned. */
export async function recordActs(
  tx: Pick<ActTx, 'reconciliation' | 'audit'>,
  call: Call,
  planned: readonly PlannedAct[],
): Promise<readonly Act[]> {
  const { company_id, actor, request_id, now_ms } = call;
  const acts = planned.map(({ situation: { item, request }, plan: { subject } }) => {
    const { action, note, reason } = request;
    return { company_id, at_ms: now_ms, actor, action, item_id: item.id, subject, note, reason, request_id };
  });
  const recorded = await tx.reconciliation.insertActs(acts);
  const entries = planned.map(({ situation: { item, request }, plan: { subject } }) => {
    const { action, note, reason } = request;
    const { pairs, authorization, accepted } = subject;
    const details = { version: item.version, note, reason, pairs, authorization, accepted };
    return auditEntry(call, auditActionOf(action), `reconciliation_item:${item.id}`, details);
  });
  await tx.audit.recordAll(entries, now_ms);
  return recorded;
}

/** Acts that were recorded, and those that are recorded by their passes. */
export interface RecordedBatch<Planned> {
  readonly recorded: readonly { readonly planned: Planned; readonly act: Act }[];
  readonly of_pass: readonly (Planned & ActOfPass)[];
}

/**
 * Records the acts without matches of cards, and prepares the others for their passes. `records`
 * are those of all their items.
 */
export async function recordBatch<Planned extends PlannedAct>(
  tx: ActTx,
  call: Call,
  planned: readonly Planned[],
  records: readonly RecordKey[],
): Promise<RecordedBatch<Planned>> {
  const now = planned.filter(({ plan }) => plan.rematches.length === 0);
  const later = planned.filter(({ plan }) => plan.rematches.length > 0);
  const acts = await recordActs(tx, call, now);
  if (now.length > 0) await refresh(tx, call, records);
  return {
    recorded: now.map((one, at) => ({ planned: one, act: acts[at]! })),
    of_pass: await withSeenActs(tx, call, later),
  };
}
