import { auditEntry, type Call, Refusal, RequestFields } from '@tallystick/kernel';
import type { ApprovedBy } from '../act.ts';
import type { ActTx } from '../acts/act-plan.ts';
import { readNote } from '../acts/act-request.ts';
import { conflict } from '../acts/refuse-act.ts';
import { type Approval, isApproval } from '../approvals/approval.ts';
import { askForPeriod } from '../approvals/ask.ts';
import { recordsOf } from '../item-id.ts';
import { refresh } from '../keeping/keep-up.ts';
import type { Period } from '../ports.ts';
import { endBatches, objectOf, type PeriodPorts, period_batch_size } from './period.ts';

/**
 * Reopens the newest period: its items change again, and get the records that came late. The period
 * and the audit log keep the `note` and the `reason` of the request, if it has them. Refuses
 * `not_found`, `validation_failed` for another note or reason than an act may have, and `conflict`
 * for a period that is reopened, being closed, not the newest one, or waits for a second person.
 * Where the company has the four-eyes setting, it waits for one, too: then it returns the approval.
 */
export async function reopenPeriod(
  ports: PeriodPorts,
  call: Call,
  period_id: number,
  request: object = {},
): Promise<Period | Approval> {
  return await performReopening(ports, call, period_id, readWhy(request), null);
}

/** Reopens as `reopenPeriod` does. A reopening that was approved is not asked for again. */
export async function performReopening(
  ports: PeriodPorts,
  call: Call,
  period_id: number,
  why: Why,
  approved: ApprovedBy | null,
): Promise<Period | Approval> {
  const period = await ports.unitOfWork.run((tx) => beginReopening(tx, call, period_id, why, approved));
  if (isApproval(period)) return period;
  for (let freed = period_batch_size; freed === period_batch_size; ) {
    freed = await ports.unitOfWork.run(async (tx) => {
      await tx.reconciliation.lockCompany(call.company_id);
      const items = await tx.reconciliation.unfreeze(period, period_batch_size);
      await refresh(tx, call, items.flatMap(recordsOf));
      return items.length;
    });
  }
  return await ports.unitOfWork.run((tx) => endBatches(tx, call, { ...period, status: 'reopened' }, 'reopening'));
}

interface Why {
  readonly note: string | null;
  readonly reason: string | null;
}

function readWhy(request: object): Why {
  const fields = new RequestFields(request);
  const why = { note: readNote(fields, 'note'), reason: readNote(fields, 'reason') };
  fields.refuseInvalid();
  return why;
}

async function beginReopening(
  tx: ActTx,
  call: Call,
  period_id: number,
  { note, reason }: Why,
  approved: ApprovedBy | null,
): Promise<Period | Approval> {
  const { reconciliation, audit } = tx;
  const { company_id, actor, now_ms } = call;
  await reconciliation.lockCompany(company_id);
  const period = await reconciliation.findPeriod(company_id, period_id);
  if (period === null) throw new Refusal('not_found', 'there is no period with this id');
  const newest = await reconciliation.newestPeriod(company_id);
  if (period.status === 'reopened') throw conflict(`period ${period_id} was reopened by ${period.reopened_by} already`);
  if (period.status === 'closing') {
    throw conflict(`period ${period_id} is being closed: send the request to close it again to complete it`);
  }
  if (newest?.id !== period_id) {
    throw conflict(
      `only the newest period can be reopened, and that is ${newest?.id}, closed through ${newest?.closed_through}`,
    );
  }
  if (period.status === 'reopening') return period;
  const { closed_through } = period;
  const request = { action: 'reopen_period', closed_through, period_id, note, reason } as const;
  const approval = await askForPeriod(tx, call, request, approved);
  if (approval !== null) return approval;
  const reopening: Period = {
    ...period,
    status: 'reopening',
    reopened_at_ms: now_ms,
    reopened_by: approved?.asked_by ?? actor,
    reopened_note: note,
    reopened_reason: reason,
  };
  await reconciliation.updatePeriod(reopening);
  const details = { closed_through, note, reason, approved };
  await audit.record(auditEntry(call, 'reconciliation.period_reopened', objectOf(period), details), now_ms);
  return reopening;
}
