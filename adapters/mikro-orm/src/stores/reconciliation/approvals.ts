import { type Approval, itemIdOf, type ReconciliationStore } from '@tallystick/reconciliation';
import type { Selectable } from 'kysely';
import type { Session, Tables } from '../../connection/session.ts';
import { columnsOf } from '../../schema/tables/columns.ts';
import { ReconciliationApproval } from '../../schema/tables/reconciliation.ts';
import { readNewestFirst } from '../queries/paging.ts';
import { inPieces, type Queries } from './query.ts';

/** Acts that wait for a second person. */
export function approvalStore({ all, run, each, from_ids, list }: Queries, { db }: Session) {
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
    },

    async findApproval(company_id, id) {
      const sql = 'select * from tallystick_reconciliation_approvals where company_id = ? and id = ?';
      return (await all<ApprovalRow>(sql, company_id, id)).map(approvalOf)[0] ?? null;
    },

    async openApprovals(company_id, records) {
      const approvals = await inPieces(records, async (piece) => {
        const rows = await all<ApprovalRow>(
          each(
            from_ids,
            'a',
            'a.*',
            'tallystick_reconciliation_approvals a',
            `a.company_id = ? and a.item_id = j.value and a.${open}`,
          ),
          list(piece.map(itemIdOf)),
          company_id,
        );
        return rows.map(approvalOf);
      });
      return approvals.sort((a, b) => a.id - b.id);
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
