import { closePeriod, isApproval, listPeriods, type PeriodPorts, reopenPeriod } from '@tallystick/reconciliation';
import * as z from 'zod';
import { data_of_domain } from '../fields.ts';
import { companyCall, type Operation, operation, own_transactions, present } from '../operation.ts';
import { approval } from './approval-shapes.ts';
import { close_period, period, reopen_period } from './period-shapes.ts';
import { pending, presentPeriod } from './presenter.ts';

/** Closing days, and undoing it (decision: reconciliation, periods). */
export function periodOperations(ports: PeriodPorts): readonly Operation[] {
  return [
    operation('reconciliation', {
      id: 'reconciliation.periods.close',
      summary: 'Close the days up to a date',
      description:
        'Freezes the matched, accepted and ignored items of these days. Others stay open. What comes later for a frozen item makes an item of its own. Answers 202 with an approval when a second person has to approve it first.',
      body: data_of_domain,
      documented_body: close_period,
      refusals: ['conflict'],
      runs_alone: own_transactions,
      answer: period,
      answers_pending: approval,
      async perform(call) {
        const found = await closePeriod(ports, companyCall(call), call.body.data);
        return isApproval(found) ? pending(found) : presentPeriod(found);
      },
    }),
    operation('reconciliation', {
      id: 'reconciliation.periods.list',
      summary: 'List the periods, newest first',
      query: { paged: true },
      answer: z.array(period),
      async read(tx, call) {
        const { query } = call;
        return present(await listPeriods(tx, companyCall(call), query.page), presentPeriod);
      },
    }),
    operation('reconciliation', {
      id: 'reconciliation.periods.reopen',
      summary: 'Reopen the newest period, on the record',
      parameters: ['id'],
      description:
        'Refused (`conflict`) when it is not the newest one. The body may say why. Answers 202 with an approval when a second person has to approve it first.',
      body: data_of_domain,
      documented_body: reopen_period,
      data_is_optional: true,
      refusals: ['conflict'],
      runs_alone: own_transactions,
      answer: null,
      answers_pending: approval,
      async perform(call) {
        const found = await reopenPeriod(ports, companyCall(call), call.id, call.body.data);
        return isApproval(found) ? pending(found) : undefined;
      },
    }),
  ];
}
