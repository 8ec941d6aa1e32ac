import { bridge_listed_max, difference_kinds, type RulesReport } from '@tallystick/reconciliation';
import * as z from 'zod';
import { currency, date, id_number, id_text, type ShapeOf, shown_amount, text_or_null, type_names } from '../fields.ts';
import { clearing_class } from '../network/shapes.ts';
import { dates } from './range-shapes.ts';
import type { presentBridge, presentSummary } from './report-presenter.ts';
import { break_age, break_kind, item_status, matched_by } from './shapes.ts';

const count = z.int().min(0);

const total = z
  .object({
    count: count.describe('How many items'),
    sum: shown_amount
      .nullable()
      .describe(
        'The sum of their amounts; minor units of their currency; null: the items are of several currencies, see `by_currency`',
      ),
  })
  .meta({ id: 'ReconciliationTotal', description: 'The number of some items, and the sum of their amounts' });

/** Totals by these names. One that counts nothing is left out. */
function totalsBy<Name extends string>(name: z.ZodType<Name> & z.core.$ZodRecordKey, about: string) {
  return z
    .partialRecord(name, total)
    .describe(`${about}. The amount of an item is what is stated less fees, else cleared, else authorized`);
}

const totals = {
  by_status: totalsBy(item_status, 'All items'),
  by_kind: totalsBy(break_kind, 'Breaks'),
  by_class: totalsBy(clearing_class, 'Items with a clearing that are not ignored'),
  by_age: totalsBy(break_age, 'Breaks, by the days since their due date'),
};

/** `GET /v1/reconciliation/summary`. */
export const summary = z
  .object({
    currency: currency
      .nullable()
      .describe('The currency of all items, ISO 4217; null: there are several, or there are no items'),
    ...totals,
    by_currency: z
      .record(
        z.string(),
        z.object(totals).meta({ id: 'ReconciliationTotals', description: 'The items of one currency in numbers' }),
      )
      .describe('The same for each currency'),
  } satisfies ShapeOf<ReturnType<typeof presentSummary>>)
  .meta({ id: 'ReconciliationSummary', description: 'The items of a company in numbers' });

const rule_count = z
  .object({
    rule: matched_by,
    authorization_matches: count.describe('Clearings matched to an authorization or an earlier clearing'),
    statement_matches: count.describe('Matches of statement lines with clearings'),
    confirmed: count.describe('Proposals of the rule that a person confirmed'),
    undone: count.describe('Matches of the rule that a person undid'),
  })
  .meta({ id: 'ReconciliationRule', description: 'The matches of a rule in numbers' });

/** `GET /v1/reconciliation/rules`. */
export const rules_report = z
  .object({
    rules: z.array(rule_count).readonly().describe('The rules that made a match'),
    matches: count.describe('All matches, by rules and by persons'),
    share_without_person: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .describe('The part of the matches that no person made; null: there are none'),
    tolerated: count.describe('Differences that the rule `tolerance` accepts; they are no matches'),
    confirmed: count.describe('Proposals that a person confirmed'),
    undone: count.describe('Matches that a person undid'),
    items: count.describe('All items, also those without a match'),
    items_untouched: count.describe('Items that no act of a person concerns, not even one that was undone'),
    share_untouched: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .describe('The part of the items that is untouched, rounded down; null: there are none'),
  } satisfies ShapeOf<RulesReport>)
  .meta({ id: 'ReconciliationRules', description: 'The matches of all rules in numbers' });

const difference = z
  .object({
    item_id: id_text.nullable().describe('The item; null: lines that are in no item yet'),
    step: z
      .enum(['statement', 'authorization'])
      .describe('`statement`: between card lines and clearings; `authorization`: between these and authorized')
      .register(type_names, { id: 'BridgeStep' }),
    kind: z
      .enum(difference_kinds)
      .describe('The kind of a break, the class of a clearing, the status of an item, or a kind of the bridge alone')
      .register(type_names, { id: 'DifferenceKind' }),
    amount: shown_amount.describe('Minor units of the currency of the account'),
  })
  .meta({ id: 'ReconciliationDifference', description: 'A difference of an item in the bridge' });

const difference_sum = z
  .object({
    step: difference.shape.step,
    kind: difference.shape.kind,
    count: count.describe('How many differences'),
    sum: shown_amount.describe('The sum of their amounts; minor units of the currency of the account'),
    items_url: text_or_null.describe(
      'Lists the items of the company with this kind, class or status, on any account; null: no filter lists them',
    ),
  })
  .meta({ id: 'ReconciliationDifferenceSum', description: 'All differences of a kind in the bridge' });

const unexplained_line = z
  .object({
    line_id: id_number.describe('The statement line'),
    amount: shown_amount.describe('Minor units of the currency of the account; a debit is negative'),
  })
  .meta({ id: 'ReconciliationUnexplainedLine', description: 'A card line that has no clearing' });

/** `GET /v1/reconciliation/bridge`. */
export const bridge = z
  .object({
    account_id: z.string().describe('The account, by its number'),
    currency: currency.describe('The currency of the account, ISO 4217. All amounts are in its minor units'),
    from: date.nullable().describe('The first booking date, YYYY-MM-DD; null: from the first line on'),
    to: date.nullable().describe('The last booking date, YYYY-MM-DD; null: to the last line'),
    opening_balance: shown_amount.describe('The booked balance before the first line; minor units'),
    card_lines: shown_amount.describe(
      'The sum of the card lines, minor units: = clearings + fees + differences of the step `statement` + unexplained_sum',
    ),
    other_lines: shown_amount.describe('The sum of the lines that are no card lines; minor units, a debit is negative'),
    closing_balance: shown_amount.describe(
      'The booked balance after the last line, minor units: = opening_balance + card_lines + other_lines',
    ),
    clearings: shown_amount.describe(
      'The sum of the clearings, minor units: = authorized + differences of the step `authorization`',
    ),
    fees: shown_amount.describe('The part of the card lines that is fees; minor units'),
    authorized: shown_amount.describe('The sum of what was authorized for the clearings; minor units'),
    differences: z
      .array(difference)
      .describe(
        `The first ${bridge_listed_max}. Fewer booking dates, or the items of \`difference_sums\`, show the others`,
      ),
    differences_count: count.describe('How many differences there are, listed or not'),
    difference_sums: z.array(difference_sum).describe('All differences by step and kind'),
    unexplained: z
      .array(unexplained_line)
      .readonly()
      .describe(
        `The first ${bridge_listed_max} card lines that are breaks and have no clearing. Fewer booking dates, or items ` +
          'with `filter[kind]=unexplained_line`, show the others',
      ),
    unexplained_count: count.describe('How many unexplained lines there are, listed or not'),
    unexplained_sum: shown_amount.describe(
      'The sum of all unexplained lines, listed or not; minor units, a debit is negative',
    ),
  } satisfies ShapeOf<ReturnType<typeof presentBridge>>)
  .meta({
    id: 'ReconciliationBridge',
    description: 'How the balances of an account follow from clearings and authorizations',
  });

export const rules_filter = z
  .object({ settlement_date: dates.describe('Only clearings that settled on this date or these dates') })
  .partial();

export const bridge_filter = z.object({
  account_id: z
    .string()
    .min(1)
    .describe('The account, by its number')
    .meta({ examples: ['1000000001'] }),
  booking_date: dates.optional().describe('Only lines that were booked on this date or these dates'),
});
