import { isOpenApproval, itemIdOf, type ReconciliationStore, recordsOfApproval } from '@tallystick/reconciliation';
import { newestFirst } from '../../storage/paging.ts';
import type { State } from '../../storage/state.ts';
import { found } from '../../storage/table.ts';

/** Acts that wait for a second person. */
export function approvalStore({ companies, reconciliation_approvals }: State): ApprovalStore {
  const approvalsOf = (company_id: number) =>
    reconciliation_approvals.values().filter((approval) => approval.company_id === company_id);
  return {
    readFourEyes: async (company_id) => companies.get(company_id)?.four_eyes ?? null,
    insertApprovals: async (approvals) => approvals.map((approval) => reconciliation_approvals.insert(approval)),
    async updateApproval(approval) {
      reconciliation_approvals.assertHas(approval.id, 'approval');
      reconciliation_approvals.set(approval.id, approval);
    },
    findApproval: async (company_id, id) => found(reconciliation_approvals, company_id, [id])[0] ?? null,
    async openApprovals(company_id, records) {
      const wanted = new Set(records.map(itemIdOf));
      return approvalsOf(company_id)
        .filter((approval) => isOpenApproval(approval) && recordsOfApproval(approval).some((id) => wanted.has(id)))
        .sort((a, b) => a.id - b.id);
    },
    async openPeriodApproval(company_id) {
      return approvalsOf(company_id).find((approval) => isOpenApproval(approval) && approval.item_id === null) ?? null;
    },
    async listApprovals(company_id, filter, page) {
      const its = approvalsOf(company_id).filter((approval) =>
        Object.entries(filter).every(([name, value]) => approval[name as keyof typeof filter] === value),
      );
      return newestFirst('reconciliation-approvals', its, page);
    },
  };
}

type ApprovalStore = Pick<
  ReconciliationStore,
  | 'readFourEyes'
  | 'insertApprovals'
  | 'updateApproval'
  | 'findApproval'
  | 'openApprovals'
  | 'openPeriodApproval'
  | 'listApprovals'
>;
