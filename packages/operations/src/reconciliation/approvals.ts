import {
  type ActPorts,
  approve,
  findApproval,
  listApprovals,
  parseApprovalFilter,
  refuse,
  withdraw,
} from '@tallystick/reconciliation';
import * as z from 'zod';
import { readFilters } from '../call/query.ts';
import { data_of_domain } from '../fields.ts';
import { companyCall, type Operation, operation, own_transactions, present } from '../operation.ts';
import { approval, approval_filter, approval_note, refuse_act } from './approval-shapes.ts';
import { presentApproval } from './presenter.ts';

/** Acts that wait for a second person (decision: reconciliation, four eyes). */
export function approvalOperations(ports: ActPorts): readonly Operation[] {
  return [
    operation('reconciliation', {
      id: 'reconciliation.approvals.list',
      summary: 'List the acts that wait for a second person, or did, newest first',
      query: { paged: true, filter: approval_filter },
      answer: z.array(approval),
      async read(tx, call) {
        const filter = readFilters(call.query, (filters) => parseApprovalFilter(filters, call.now_ms));
        return present(await listApprovals(tx, companyCall(call), filter, call.query.page), presentApproval);
      },
    }),
    operation('reconciliation', {
      id: 'reconciliation.approvals.read',
      summary: 'Read an act that waits for a second person, or did',
      parameters: ['id'],
      answer: approval,
      async read(tx, call) {
        return presentApproval(await findApproval(tx.reconciliation, companyCall(call), call.id));
      },
    }),
    operation('reconciliation', {
      id: 'reconciliation.approvals.approve',
      summary: 'Approve an act, which is done',
      description:
        'Refused (`forbidden`) to the one who asked for it. Refused (`conflict`) when it was approved or refused already, and when it cannot be done any more, such as on an item that has changed: then it is `outdated`. The one who asked is the actor of the act, which names the one who approved.',
      parameters: ['id'],
      body: data_of_domain,
      documented_body: approval_note,
      data_is_optional: true,
      refusals: ['conflict'],
      runs_alone: own_transactions,
      answer: approval,
      async perform(call) {
        return presentApproval(await approve(ports, companyCall(call), call.id, call.body.data));
      },
    }),
    operation('reconciliation', {
      id: 'reconciliation.approvals.refuse',
      summary: 'Refuse an act. Nothing changes',
      description:
        'Refused (`forbidden`) to the one who asked for it, and (`conflict`) when it was approved or refused already.',
      parameters: ['id'],
      body: data_of_domain,
      documented_body: refuse_act,
      refusals: ['conflict'],
      runs_alone: own_transactions,
      answer: approval,
      async perform(call) {
        return presentApproval(await refuse(ports, companyCall(call), call.id, call.body.data));
      },
    }),
    operation('reconciliation', {
      id: 'reconciliation.approvals.withdraw',
      summary: 'Withdraw an act that you asked for. Nothing changes',
      description:
        'Refused (`forbidden`) to everybody but the one who asked for it, and (`conflict`) when it was approved or refused already.',
      parameters: ['id'],
      body: data_of_domain,
      documented_body: approval_note,
      data_is_optional: true,
      refusals: ['conflict'],
      runs_alone: own_transactions,
      answer: approval,
      async perform(call) {
        return presentApproval(await withdraw(ports, companyCall(call), call.id, call.body.data));
      },
    }),
  ];
}
