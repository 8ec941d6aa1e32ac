import { line_standings } from '@tallystick/accounts';
import type { line_filter_names } from '@tallystick/reconciliation';
import * as z from 'zod';
import {
  account_number,
  currency,
  date,
  id_number,
  id_text,
  resource_url,
  resourceType,
  shown_amount,
  text_or_null,
} from '../fields.ts';
import { amounts, compared_text, dates } from './range-shapes.ts';

/** `GET /v1/reconciliation/lines`. */
export const line = z
  .object({
    id: id_text,
    account_id: account_number.describe('The account, by its number'),
    booking_date: date.describe('When it was booked'),
    value_date: date.describe('When the amount counts for interest'),
    amount: shown_amount.describe('Minor units of `currency`, in the sign of the account: debits are negative'),
    currency: currency.describe('The currency of the account, ISO 4217'),
    bai_code: z
      .string()
      .regex(/^\d{3}$/)
      .describe('The BAI code. The card lines, which belong to items, are 391, 691, 821, 822, 824, 825 and 826'),
    text: z.string().describe("The bank's text; a card number in it is masked"),
    bank_reference: text_or_null.describe("The bank's own reference; null: it has none"),
    acquirer_reference: text_or_null.describe('The acquirer reference, 17 or 23 digits; null: it has none'),
    balance_after: shown_amount
      .nullable()
      .describe('The booked balance of the account after the line, minor units; null: not known'),
    statement_id: id_number
      .nullable()
      .describe('Lines with the same number came with one statement; null: the bank reported it by itself'),
    standing: z
      .enum(line_standings)
      .nullable()
      .describe(
        '`differs`: the statement of its date has it otherwise or lacks it. `kept`: it does, and a person decided that it counts. `frozen`: it does, and a closed period has it; null: none of these',
      ),
    item_id: id_text.nullable().describe('The item that has it; null: it belongs to no item, or no item has it yet'),
    type: resourceType('reconciliation_line'),
    url: resource_url,
  })
  .meta({ id: 'ReconciliationLine', description: 'A line of a bank statement' });

/** The filters of lists of lines, for the document. The domain reads them. */
export const line_filter = z
  .object({
    account_id: compared_text.describe('Only lines of this account, by its number'),
    booking_date: dates.describe('Only lines that were booked on this date or these dates'),
    amount: amounts.describe('Only lines with this amount or these amounts, minor units; debits are negative'),
    reference: compared_text.describe(
      "Only lines with this reference of the bank or acquirer reference; an acquirer reference of 17 digits also finds those of 23 digits with it, unless the installation's statement key is `whole`",
    ),
    bai_code: z
      .string()
      .regex(/^\d{3}$/)
      .describe('Only lines with this BAI code'),
    text: compared_text.describe(
      'Only lines with this part in their text; A to Z in any case. A page may have fewer lines than its limit, or none, while `next` leads on',
    ),
  } satisfies Record<(typeof line_filter_names)[number], z.ZodType>)
  .partial()
  .describe('Several filters are ANDed. A range is `[from,to]` with both ends included. Either end may be empty.');
