import * as z from 'zod';
import { date, id_text, resourceType, shown_instant, text_or_null } from '../fields.ts';
import { note, reason } from './act-shapes.ts';

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
    reopened_by: text_or_null.describe('Who reopened it; null: nobody'),
    reopened_note: text_or_null.describe('Why it was reopened; null: it was not, or nobody said why'),
    reopened_reason: text_or_null.describe('The code or word that the person gave; null: none'),
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

export const reopen_period = z
  .object({
    data: z.object({
      note: note.nullish().describe('Why; the period and the audit log keep it; null: not stated'),
      reason,
    }),
  })
  .meta({
    id: 'ReconciliationPeriodReopening',
    description: 'Why a period is reopened',
    examples: [{ data: { note: 'The bank corrected its statement' } }],
  });
