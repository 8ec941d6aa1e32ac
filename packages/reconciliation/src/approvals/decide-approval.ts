import { type Call, Refusal, RequestFields, toInstantText } from '@tallystick/kernel';
import type { ApprovedBy } from '../act.ts';
import { performAct } from '../acts/act-on-item.ts';
import type { ActPorts, ActTx } from '../acts/act-plan.ts';
import { readNote } from '../acts/act-request.ts';
import { conflict } from '../acts/refuse-act.ts';
import { findSeenItems } from '../items/read-items.ts';
import { performClosing } from '../periods/close-period.ts';
import { performReopening } from '../periods/reopen-period.ts';
import { type Approval, describeApproval, isOpenApproval } from './approval.ts';
import { changeApproval } from './ask.ts';
import { findApproval } from './read-approvals.ts';

/**
 * A second person approves an act, which is done: it has the one who asked as its actor, and names
 * the one who approved. Returns the approval.
 *
 * Refuses `not_found`, `forbidden` the one who asked, and `conflict` an act that was approved or
 * refused already, or that cannot be done any more, for example because its item has changed: then
 * it is outdated. Actors are the same when the audit log names them alike.
 */
export async function approve(ports: ActPorts, call: Call, id: number, request: object): Promise<Approval> {
  const note = readDecision(request, { is_required: false });
  const claimed = await ports.unitOfWork.run((tx) => claim(tx, call, id, note));
  try {
    await perform(ports, call, claimed);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return await ports.unitOfWork.run((tx) => endUndone(tx, call, claimed, error)).then(unlessRefused);
  }
  return await ports.unitOfWork.run((tx) => complete(tx, call, claimed));
}

/** A second person refuses an act, with a note. Nothing changes. Refuses as `approve` does. */
export function refuse(ports: Pick<ActPorts, 'unitOfWork'>, call: Call, id: number, request: object) {
  return end(ports, call, id, 'refused', readDecision(request, { is_required: true }));
}

/**
 * The one who asked for an act withdraws it. Nothing changes. Refuses `forbidden` everybody else, and
 * otherwise as `approve` does.
 */
export function withdraw(ports: Pick<ActPorts, 'unitOfWork'>, call: Call, id: number, request: object) {
  return end(ports, call, id, 'withdrawn', readDecision(request, { is_required: false }));
}

function end(
  { unitOfWork }: Pick<ActPorts, 'unitOfWork'>,
  call: Call,
  id: number,
  status: 'refused' | 'withdrawn',
  note: string | null,
): Promise<Approval> {
  return unitOfWork.run(async (tx) => {
    const approval = await lockApproval(tx, call, id, { is_own: status === 'withdrawn' });
    if (approval.status === 'approving') {
      throw conflict(`${describeApproval(approval)} is being approved by ${approval.decided_by}`);
    }
    return await changeApproval(tx, call, approval, decided(call, approval, status, note));
  });
}

function readDecision(request: object, { is_required }: { readonly is_required: boolean }): string | null {
  const fields = new RequestFields(request);
  if (is_required) fields.require('note');
  const note = readNote(fields, 'note');
  fields.refuseInvalid();
  return note;
}

/** The approval of the company, for the one who asked (`is_own`) or for anybody else. */
async function lockApproval(
  { reconciliation }: ActTx,
  call: Call,
  id: number,
  { is_own }: { readonly is_own: boolean },
): Promise<Approval> {
  await reconciliation.lockCompany(call.company_id);
  const approval = await findApproval(reconciliation, call, id);
  if ((approval.asked_by === call.actor) !== is_own) {
    const who = is_own
      ? `is withdrawn by ${approval.asked_by} alone`
      : `needs another person: ${call.actor} asked for it`;
    throw new Refusal('forbidden', `${describeApproval(approval)} ${who}`);
  }
  const { status, decided_by, decided_at_ms } = approval;
  if (isOpenApproval(approval)) return approval;
  const who = status === 'outdated' ? 'is outdated since' : `was ${status} by ${decided_by} at`;
  throw conflict(`${describeApproval(approval)} ${who} ${toInstantText(decided_at_ms!)}`);
}

function decided({ actor, now_ms }: Call, approval: Approval, status: Approval['status'], note: string | null) {
  return { ...approval, status, decided_by: actor, decided_at_ms: now_ms, decided_note: note };
}

async function claim(tx: ActTx, call: Call, id: number, note: string | null): Promise<Approval> {
  const approval = await lockApproval(tx, call, id, { is_own: false });
  // Somebody's process may have ended: whoever approves it now completes it.
  if (approval.status === 'approving') return approval;
  return await changeApproval(tx, call, approval, decided(call, approval, 'approving', note));
}

async function perform(ports: ActPorts, call: Call, { id, item_id, version, request, ...approval }: Approval) {
  const approved: ApprovedBy = { approval_id: id, asked_by: approval.asked_by, approved_by: approval.decided_by! };
  if (!('closed_through' in request)) return await performAct(ports, call, item_id!, { ...request, version, approved });
  if (request.action === 'close_period') return await performClosing(ports, call, request.closed_through, approved);
  return await performReopening(ports, call, request.period_id!, request, approved);
}

async function complete(tx: ActTx, call: Call, { id }: Approval): Promise<Approval> {
  await tx.reconciliation.lockCompany(call.company_id);
  const now = await findApproval(tx.reconciliation, call, id);
  if (now.status !== 'approving') return now;
  return await changeApproval(tx, call, now, { ...now, status: 'approved' });
}

/**
 * Ends an approval whose act was refused. When the act is done all the same, somebody else has done
 * it for this very approval.
 */
async function endUndone(tx: ActTx, call: Call, { id }: Approval, reason: Refusal): Promise<Approval | Refusal> {
  await tx.reconciliation.lockCompany(call.company_id);
  const now = await findApproval(tx.reconciliation, call, id);
  if (now.status !== 'approving') return conflict(`${describeApproval(now)} was ${now.status} by ${now.decided_by}`);
  if (await isDone(tx, call, now)) return await changeApproval(tx, call, now, { ...now, status: 'approved' });
  await changeApproval(tx, call, now, decided(call, now, 'outdated', [...reason.message].slice(0, 1_000).join('')));
  return conflict(`${reason.message}; so ${describeApproval(now)} is outdated, and nothing was done`);
}

function unlessRefused(ended: Approval | Refusal): Approval {
  if (ended instanceof Refusal) throw ended;
  return ended;
}

/** Whether the act was done for this approval, by a process that could not say so. */
async function isDone(
  { reconciliation }: ActTx,
  call: Call,
  { id, item_id, request, asked_by, asked_at_ms }: Approval,
) {
  if ('closed_through' in request) {
    if (request.period_id === null) return false;
    const period = await reconciliation.findPeriod(call.company_id, request.period_id);
    return period?.status === 'reopened' && period.reopened_by === asked_by && period.reopened_at_ms! >= asked_at_ms;
  }
  const seen = (await findSeenItems({ reconciliation }, call, [item_id!])).get(item_id!);
  return seen?.history.some(({ subject }) => subject.approved?.approval_id === id) ?? false;
}
