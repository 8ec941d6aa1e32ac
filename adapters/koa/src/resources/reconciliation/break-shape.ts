import { clearing_classes } from '@tallystick/cards';
import { currency, date, id_number, shown_amount } from '@tallystick/operations';
import { age_buckets, break_kinds, item_statuses } from '@tallystick/reconciliation';
import * as z from 'zod';

const side_amount = shown_amount.nullable();

const whole_state = z
  .object({
    item_id: id_number,
    kind: z.enum(break_kinds).nullable(),
    status: z.enum(item_statuses),
    class: z.enum(clearing_classes).nullable(),
    vcn_id: id_number.nullable(),
    authorized: side_amount,
    cleared: side_amount,
    stated: side_amount,
    fees: shown_amount,
    difference: shown_amount,
    currency,
    due_date: date.nullable(),
    age: z
      .enum(age_buckets.map(({ name }) => name))
      .nullable()
      .describe('Days since the due date; null: it is no break'),
  })
  .meta({ id: 'ReconciliationBreak' });

const merged_state = z
  .object({ item_id: id_number, status: z.literal('merged') })
  .meta({ id: 'MergedReconciliationItem', description: 'The item is part of another one, to which its id leads' });

/** An item in events about breaks. */
export const break_state = z.union([whole_state, merged_state]).meta({ id: 'ReconciliationBreakState' });
