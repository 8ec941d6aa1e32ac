import {
  type Approval,
  isOpenApproval,
  itemIdOf,
  type ReconciliationStore,
  recordsOfApproval,
} from '@tallystick/reconciliation';
import type { Selectable } from 'kysely';
import type { Session, Tables } from '../../connection/session.ts';
import { columnsOf } from '../../schema/tables/columns.ts';
import { ReconciliationApproval } from '../../schema/tables/reconciliation.ts';
import { readNewestFirst } from '../queries/paging.ts';
import { inPieces, type Queries } from './query.ts';

/** Acts that wait for a second person. */
export function approvalStore({ all, run, from_ids, list }: Queries, { db }: Session) {
  return {
    async readFourEyes(company_id) {
      const sql = 'select four_eyes from tallystick_companies where id = ?';
      const [row] = await all<{ four_eyes: string | null }>(sql, company_id);
      return row === undefined || row.four_eyes === null ? null : JSON.parse(row.four_eyes);
    },

    async insertApprovals(approvals) {
      const inserted: Approval[] = [];
      for (const approval of approvals) {
        const [row] = await all<{ id: number }>(
          `insert into tallystick_reconciliation_approvals (${columns}) values (${columns.map(() => '?')}) returning id`,
          ...valuesOf(approval),
        );
        await run(
          `insert into tallystick_reconciliation_approval_records (company_id, record, approval_id)
            select a.company_id, j.value, a.id from ${from_ids} cross join tallystick_reconciliation_approvals a
            where a.id = ?`,
          list(recordsOfApproval(approval)),
          row!.id,
        );
        inserted.push({ ...approval, id: row!.id });
      }
      return inserted;
    },

    async updateApproval(approval) {
      await run(
        `update tallystick_reconciliation_approvals set ${columns.map((name) => `${name} = ?`)} where id = ?`,
        ...valuesOf(approval),
        approval.id,
      );
      if (isOpenApproval(approval)) return;
      await run(
        `delete from tallystick_reconciliation_approval_records
          where company_id = ? and approval_id = ? and record in (select j.value from ${from_ids})`,
        ...[approval.company_id, approval.id, list(recordsOfApproval(approval))],
      );
    },

    async findApproval(company_id, id) {
      const sql = 'select * from tallystick_reconciliation_approvals where company_id = ? and id = ?';
      return (await all<ApprovalRow>(sql, company_id, id)).map(approvalOf)[0] ?? null;
    },

    async openApprovals(company_id, records) {
      const approvals = await inPieces(records, async (piece) => {
        const rows = await all<ApprovalRow>(
          // Companies where nothing waits look up no record.
          `select * from tallystick_reconciliation_approvals
            where exists (select 1 from tallystick_reconciliation_approval_records where company_id = ?) and id in (
            select r.approval_id from ${from_ids} cross join tallystick_reconciliation_approval_records r
            where r.company_id = ? and r.record = j.value)`,
          ...[company_id, list(piece.map(itemIdOf)), company_id],
        );
        return rows.map(approvalOf);
      });
      return [...new Map(approvals.map((approval) => [approval.id, approval])).values()].sort((a, b) => a.id - b.id);
    },

    async openPeriodApproval(company_id) {
      const [row] = await all<ApprovalRow>(
        `select * from tallystick_reconciliation_approvals where company_id = ? and item_id is null and ${open} limit 1`,
        company_id,
      );
      return row === undefined ? null : approvalOf(row);
    },

    listApprovals(company_id, filter, page) {
      let query = db.selectFrom('tallystick_reconciliation_approvals').selectAll().where('company_id', '=', company_id);
      for (const [name, value] of Object.entries(filter)) query = query.where(name as keyof typeof filter, '=', value);
      return readNewestFirst('reconciliation-approvals', query, page, approvalOf);
    },
  } satisfies Partial<ReconciliationStore>;
}

const open = "status in ('pending', 'approving')";

type ApprovalRow = Selectable<Tables['tallystick_reconciliation_approvals']>;

const columns = Object.keys(columnsOf(ReconciliationApproval, 'id')) as (keyof Omit<Approval, 'id'>)[];

function valuesOf(approval: Omit<Approval, 'id'>): readonly unknown[] {
  return columns.map((name) => (name === 'request' ? JSON.stringify(approval.request) : approval[name]));
}

function approvalOf({ request, ...row }: ApprovalRow): Approval {
  return { ...row, request: JSON.parse(request) };
}
