import { clearing_class, currency, date, filter_id } from '@tallystick/operations';
import type { item_filter_names } from '@tallystick/reconciliation';
import * as z from 'zod';
import { break_kind, item_status } from './break-shape.ts';

const date_form = String.raw`\d{4}-\d\d-\d\d`;

/** `[from,to]`, of which one end may be empty. */
function rangeOf(end: string): z.ZodType {
  return z.string().regex(new RegExp(String.raw`^\[(?!\s*,\s*\])\s*(?:${end})?\s*,\s*(?:${end})?\s*\]$`));
}

/** A date, or a range of dates. */
export const dates = z.union([date, rangeOf(date_form)]);

/** The filters of lists of items, for the document. The domain reads them. */
export const item_filter = z
  .object({
    status: item_status,
    class: clearing_class,
    kind: break_kind,
    vcn_id: filter_id,
    currency,
    settlement_date: dates.describe('Of the newest clearing of an item'),
    age_days: z.union([z.int().min(0).max(99_999), rangeOf(String.raw`\d{1,5}`)]).describe('Days since the due date'),
  } satisfies Record<(typeof item_filter_names)[number], z.ZodType>)
  .partial()
  .describe('Several filters are ANDed. A range is `[from,to]` with both ends included. Either end may be empty.');

export const rules_filter = z.object({ settlement_date: dates }).partial();

export const bridge_filter = z.object({
  account_id: z
    .string()
    .min(1)
    .describe('The number of the account')
    .meta({ examples: ['1000000001'] }),
  booking_date: dates.optional(),
});
