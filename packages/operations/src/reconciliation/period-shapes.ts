import * as z from 'zod';
import { date, id_text, resourceType, shown_instant } from '../fields.ts';

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
    closed_at: shown_instant.describe('When it was closed, UTC'),
    closed_by: z.string().describe('Who closed it, as the audit log names callers: `key:17`'),
    reopened_at: shown_instant.nullable().describe('When it was reopened, UTC; null: it was not'),
    reopened_by: z.string().nullable().describe('Who reopened it; null: nobody'),
    type: resourceType('reconciliation_period'),
  })
  .meta({ id: 'ReconciliationPeriod', description: 'A closed period' });

export const close_period = z
  .object({ data: z.object({ closed_through: date.describe('The last day to close; a day that is over in UTC') }) })
  .meta({
    id: 'ReconciliationPeriodClosing',
    description: 'The period to close',
    examples: [{ data: { closed_through: '2030-03-14' } }],
  });
