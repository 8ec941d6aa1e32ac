import { type Call, type Page, type PageRequest, Refusal } from '@tallystick/kernel';
import type { ReconciliationTx } from '../ports.ts';
import type { Approval } from './approval.ts';
import type { ApprovalFilter } from './approval-filter.ts';

/** Reads an approval of the company. Refuses `not_found`. */
export async function findApproval(
  reconciliation: Pick<ReconciliationTx['reconciliation'], 'findApproval'>,
  { company_id }: Pick<Call, 'company_id'>,
  id: number,
): Promise<Approval> {
  const approval = await reconciliation.findApproval(company_id, id);
  if (approval === null) throw new Refusal('not_found', 'there is no approval with this id');
  return approval;
}

/** Lists the approvals of the company that fit, newest first. */
export function listApprovals(
  { reconciliation }: Pick<ReconciliationTx, 'reconciliation'>,
  { company_id }: Pick<Call, 'company_id'>,
  filter: ApprovalFilter,
  page: PageRequest,
): Promise<Page<Approval>> {
  return reconciliation.listApprovals(company_id, filter, page);
}
