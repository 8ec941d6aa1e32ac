import { toInstantText } from '@tallystick/kernel';
import { data_of_domain, date, id_text, type ShapeOf, shown_instant } from '@tallystick/operations';
import { closePeriod, listPeriods, type Period, type PeriodPorts, reopenPeriod } from '@tallystick/reconciliation';
import * as z from 'zod';
import { list, no_content, resource } from '../../answer/answer.ts';
import { clientCall, type Route, route } from '../../request/route.ts';

const path = '/v1/reconciliation/periods';

const of_periods = { area: 'reconciliation', tag: 'Reconciliation' } as const;

function presentPeriod(period: Period) {
  const { reopened_at_ms } = period;
  return {
    id: String(period.id),
    closed_through: period.closed_through,
    status: period.status,
    frozen: period.frozen,
    open_breaks: period.open_breaks,
    closed_at: toInstantText(period.closed_at_ms),
    closed_by: period.closed_by,
    reopened_at: reopened_at_ms === null ? null : toInstantText(reopened_at_ms),
    reopened_by: period.reopened_by,
    type: 'reconciliation_period' as const,
  };
}

const count = z.int().min(0);

export const period = z
  .object({
    id: id_text,
    closed_through: date.describe('The last day of the period; it begins after the one before it'),
    status: z
      .enum(['closing', 'closed', 'reopening', 'reopened'])
      .describe('`closing`, `reopening`: it was interrupted; the same request again completes it'),
    frozen: count.describe('Items that do not change any more'),
    open_breaks: count.describe('Breaks of the period that were open when it was closed'),
    closed_at: shown_instant,
    closed_by: z.string(),
    reopened_at: shown_instant.nullable(),
    reopened_by: z.string().nullable(),
    type: z.literal('reconciliation_period'),
  } satisfies ShapeOf<ReturnType<typeof presentPeriod>>)
  .meta({ id: 'ReconciliationPeriod', description: 'A closed period' });

export const close_period = z
  .object({ data: z.object({ closed_through: date.describe('The last day to close; a day that is over in UTC') }) })
  .meta({
    id: 'ReconciliationPeriodClosing',
    description: 'The period to close',
    examples: [{ data: { closed_through: '2030-03-14' } }],
  });

/** `/v1/reconciliation/periods` (decision: reconciliation, periods). */
export function periodRoutes(ports: PeriodPorts): readonly Route[] {
  return [
    route({
      ...of_periods,
      method: 'POST',
      path,
      operation_id: 'reconciliation.periods.close',
      summary: 'Close the days up to a date',
      description:
        'Freezes the matched, accepted and ignored items of these days. Others stay open. What comes later for a frozen item makes an item of its own.',
      body: data_of_domain,
      documented_body: close_period,
      refusals: ['conflict'],
      answer: period,
      async perform(request) {
        return resource(presentPeriod(await closePeriod(ports, clientCall(request), request.body.data)));
      },
    }),
    route({
      ...of_periods,
      method: 'GET',
      path,
      operation_id: 'reconciliation.periods.list',
      summary: 'List the periods, newest first',
      query: { paged: true, items_stay_whole: true },
      answer: z.array(period),
      async transaction(tx, request) {
        const { query } = request;
        return list(query, await listPeriods(tx, clientCall(request), query.page), presentPeriod);
      },
    }),
    route({
      ...of_periods,
      method: 'DELETE',
      path: `${path}/:id`,
      operation_id: 'reconciliation.periods.reopen',
      summary: 'Reopen the newest period, on the record',
      description: 'Refused with 409 when it is not the newest one.',
      refusals: ['conflict'],
      answer: null,
      status: 204,
      async perform(request) {
        await reopenPeriod(ports, clientCall(request), request.id);
        return no_content;
      },
    }),
  ];
}
