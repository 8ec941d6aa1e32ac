import { clearing_class, currency, date, id_number, shown_amount, type_names } from '@tallystick/operations';
import { age_buckets, break_kinds, item_statuses } from '@tallystick/reconciliation';
import * as z from 'zod';

export const break_kind = z.enum(break_kinds).describe('The kind of a break').register(type_names, { id: 'BreakKind' });

export const item_status = z.enum(item_statuses).register(type_names, { id: 'ItemStatus' });

export const break_age = z
  .enum(age_buckets.map(({ name }) => name))
  .describe('The age of a break in days')
  .register(type_names, { id: 'BreakAge' });

const side_amount = shown_amount.nullable();

const whole_state = z
  .object({
    item_id: id_number,
    kind: break_kind.nullable(),
    status: item_status,
    class: clearing_class.nullable(),
    vcn_id: id_number.nullable().describe('The virtual card'),
    authorized: side_amount,
    cleared: side_amount,
    stated: side_amount,
    fees: shown_amount,
    difference: shown_amount,
    currency,
    due_date: date.nullable(),
    age: break_age.nullable().describe('Days since the due date; null: it is no break'),
  })
  .meta({ id: 'ReconciliationBreak', description: 'The item of a break in an event' });

const merged_state = z
  .object({ item_id: id_number, status: z.literal('merged') })
  .meta({ id: 'MergedReconciliationItem', description: 'The item is part of another one, to which its id leads' });

/** An item in events about breaks. */
export const break_state = z
  .union([whole_state, merged_state])
  .meta({ id: 'ReconciliationBreakState', description: 'The item of a break in an event' });
