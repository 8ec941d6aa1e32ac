import { auditEntry, type Call } from '@tallystick/kernel';
import type { Act } from './act.ts';
import type { PlannedAct } from './act-in-pass.ts';
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
    const { pairs, authorization } = subject;
    const details = { version: item.version, note, reason, pairs, authorization };
    return auditEntry(call, auditActionOf(action), `reconciliation_item:${item.id}`, details);
  });
  await tx.audit.recordAll(entries, now_ms);
  return recorded;
}
