import type { NewEvent } from '@tallystick/events';
import { type AuditEntry, auditEntry, type Call } from '@tallystick/kernel';
import type { ApprovedBy } from '../act.ts';
import type { ActPlan, ActTx, Situation } from '../acts/act-plan.ts';
import { conflict } from '../acts/refuse-act.ts';
import type { Item } from '../item.ts';
import { recordsOf } from '../item-id.ts';
import { type Approval, approvalPayload, describeApproval, type PeriodRequest, stakeAbove } from './approval.ts';

/** The amount because of which an act needs a second person; null: it needs none, or was approved. */
export function stakeToApprove(situation: Situation, { subject }: ActPlan): ReturnType<typeof stakeAbove> {
  const { request, known } = situation;
  return request.approved === null ? stakeAbove(known.four_eyes, concernedItems(situation), subject.accepted) : null;
}

/** The item of an act, and those with the records that a match names. */
function concernedItems({ item, request, known }: Situation): readonly Item[] {
  const others = request.with === null ? [] : known.itemsOf(recordsOf(request.with));
  return [item, ...others.map((seen) => seen.item).filter(({ id }) => id !== item.id)];
}

/** Refuses (`conflict`) an act on items about which another act waits for a second person. */
export function refusePending(situation: Situation): void {
  const { request, known } = situation;
  for (const one of concernedItems(situation)) {
    const waiting = known.openApprovalOf(one);
    if (waiting === null || waiting.id === request.approved?.approval_id) continue;
    const what = `${describeApproval(waiting)} is ${waiting.status} for item ${one.id}`;
    throw conflict(`${what}: no other act on it until a second person has approved or refused that`);
  }
}

/** What an act on an item asks for. The items are locked, and its plan was found possible. */
export function askingOf({ item, call, request }: Situation, stake: NonNullable<ReturnType<typeof stakeToApprove>>) {
  const { approved: _, ...asked } = request;
  return newApproval(call, { action: asked.action, item_id: item.id, version: item.version, ...stake, request: asked });
}

/**
 * Asks for a closing or a reopening where the company has the four-eyes setting, and returns the
 * approval; null: it may begin. Refuses (`conflict`) while another one waits. The company is locked.
 */
export async function askForPeriod(
  tx: ActTx,
  call: Call,
  request: PeriodRequest,
  approved: ApprovedBy | null,
): Promise<Approval | null> {
  const { company_id } = call;
  const waiting = await tx.reconciliation.openPeriodApproval(company_id);
  if (waiting !== null && waiting.id !== approved?.approval_id) {
    throw conflict(`${describeApproval(waiting)} is ${waiting.status}: a second person approves or refuses it first`);
  }
  if (approved !== null || (await tx.reconciliation.readFourEyes(company_id)) === null) return null;
  const nothing = { item_id: null, version: null, amount: null, currency: null };
  const [approval] = await ask(tx, call, [newApproval(call, { action: request.action, ...nothing, request })]);
  return approval!;
}

type Asked = Pick<Approval, 'action' | 'item_id' | 'version' | 'amount' | 'currency' | 'request'>;

function newApproval({ company_id, actor, now_ms }: Call, asked: Asked): Omit<Approval, 'id'> {
  const undecided = { status: 'pending', decided_by: null, decided_at_ms: null, decided_note: null } as const;
  return { company_id, ...asked, ...undecided, asked_by: actor, asked_at_ms: now_ms };
}

/** Stores acts that wait for a second person, with their events and audit entries. */
export async function ask(tx: ActTx, call: Call, asked: readonly Omit<Approval, 'id'>[]): Promise<readonly Approval[]> {
  if (asked.length === 0) return [];
  const approvals = await tx.reconciliation.insertApprovals(asked);
  await tx.events.append(approvals.map((approval) => eventOf(call, approval, null)));
  await tx.audit.recordAll(
    approvals.map((approval) => entryOf(call, approval)),
    call.now_ms,
  );
  return approvals;
}

/** Writes the new state of an act that waits. Its event and audit entry say how it ended, if it did. */
export async function changeApproval(tx: ActTx, call: Call, before: Approval, after: Approval): Promise<Approval> {
  await tx.reconciliation.updateApproval(after);
  if (after.status === 'approving') return after;
  await tx.events.append([eventOf(call, after, before)]);
  await tx.audit.recordAll([entryOf(call, after)], call.now_ms);
  return after;
}

/** Ends what was asked for when it is not wanted any more: it is outdated, if it still waits. */
export async function endAsked(tx: ActTx, call: Call, { company_id, id }: Approval, note: string): Promise<void> {
  await tx.reconciliation.lockCompany(company_id);
  const now = await tx.reconciliation.findApproval(company_id, id);
  if (now?.status !== 'pending') return;
  const ended = { decided_by: call.actor, decided_at_ms: call.now_ms, decided_note: note };
  await changeApproval(tx, call, now, { ...now, status: 'outdated', ...ended });
}

function wordOf({ status }: Approval): Exclude<Approval['status'], 'pending' | 'approving'> | 'asked' {
  return status === 'pending' || status === 'approving' ? 'asked' : status;
}

function eventOf({ company_id, now_ms, request_id }: Call, approval: Approval, before: Approval | null): NewEvent {
  return {
    company_id,
    event_type: `reconciliation.approval.${wordOf(approval)}`,
    payload: approvalPayload(approval),
    previous: before === null ? null : approvalPayload(before),
    created_at_ms: now_ms,
    request_id,
  };
}

function entryOf(call: Call, approval: Approval): AuditEntry {
  const { id, action, item_id, version, amount, currency, request, asked_by, decided_note } = approval;
  const details = { action, item_id, version, amount, currency, request, asked_by, decided_note };
  return auditEntry(call, `reconciliation.approval_${wordOf(approval)}`, `reconciliation_approval:${id}`, details);
}
