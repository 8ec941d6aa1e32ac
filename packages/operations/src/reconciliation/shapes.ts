import type { item_filter_names } from '@tallystick/reconciliation';
import { age_buckets, break_kinds, item_statuses, matched_by as matched_by_values } from '@tallystick/reconciliation';
import * as z from 'zod';
import {
  account_number,
  currency,
  date,
  filter_id,
  id_number,
  id_text,
  resource_url,
  resourceType,
  shown_amount,
  shown_instant,
  text_or_null,
  type_names,
} from '../fields.ts';
import { clearing_class } from '../network/shapes.ts';
import { act, match_side } from './act-shapes.ts';
import { line } from './line-shapes.ts';
import { amounts, compared_text, dates, rangeOf } from './range-shapes.ts';

export const break_kind = z
  .enum(break_kinds)
  .describe('What is wrong with an item: the first kind that applies')
  .register(type_names, { id: 'BreakKind' });

export const item_status = z
  .enum(item_statuses)
  .describe(
    '`matched`: all sides are there and agree. `awaiting`: what is still to come is not overdue. `proposed`: a person should check its match. `break`: something is overdue or differs. `accepted`, `ignored`: a person has decided so, or the rule `tolerance` has accepted it',
  )
  .register(type_names, { id: 'ItemStatus' });

export const break_age = z
  .enum(age_buckets.map(({ name }) => name))
  .describe('The age of a break in days')
  .register(type_names, { id: 'BreakAge' });

const ids = z.array(id_number).readonly();

export const matched_by = z
  .enum(matched_by_values)
  .describe(
    'A rule of matching, `ard` (the acquirer reference of a line), `covering_set`, or `person`. `tolerance` accepts an item, and makes no match',
  )
  .register(type_names, { id: 'MatchedBy' });

const clearing_ids = ids.describe('Its clearings, by their ids');
const line_ids = ids.describe('Its statement lines, by their ids');

const members = {
  authorization_id: id_number.nullable().describe('Its authorization; null: it has none'),
  clearing_ids,
  line_ids,
};

export const match = z
  .object({
    side: match_side,
    rule: matched_by,
    class: clearing_class.nullable().describe('The class of its clearings; null: it is a match of statement lines'),
    ...members,
    values: z
      .record(z.string(), z.union([z.string(), z.number()]).nullable())
      .describe('The values that made the match, by their names'),
  })
  .meta({ id: 'ReconciliationMatch', description: 'A match of an item' });

export const alternative = z
  .object({ rule: matched_by, reason: z.string().describe('One sentence, with the values that fit'), ...members })
  .meta({ id: 'ReconciliationAlternative', description: 'Another way to match the records of an item' });

const suggestion_differences = z
  .object({
    amount: shown_amount.describe('The suggested amount less that of the break; minor units of its currency'),
    days: z.int().describe('From the date of the break to that of the suggestion; negative: it is earlier'),
    reference: z
      .enum(['same', 'other', 'missing'])
      .describe('The acquirer reference, with an authorization the approval code; `missing`: one side has none'),
    merchant: z
      .enum(['same', 'other', 'unknown'])
      .describe('The merchant. The text of a line that contains its name counts as `same`'),
  })
  .meta({ id: 'ReconciliationSuggestionDifferences', description: 'How suggested records differ from the break' });

export const suggestion = z
  .object({
    number: z.int().min(1).describe('Its place among the suggestions of the break, from 1'),
    item_id: id_text.nullable().describe('The item that has the records; null: several items have them'),
    authorization_id: id_number.nullable().describe('The suggested authorization; null: none'),
    clearing_ids: ids.describe('The suggested clearings'),
    line_ids: ids.describe('The suggested statement lines'),
    amount: shown_amount.describe('The amount of the suggested records; minor units of `currency`, purchases positive'),
    date: date.describe('When they were authorized (UTC), settled or booked'),
    differs: suggestion_differences,
    reason: z.string().describe('One sentence that names what agrees and what differs'),
  })
  .meta({
    id: 'ReconciliationSuggestion',
    description: 'Records that a break may be matched with, by the ids that `match` takes',
  });

const side_amount = shown_amount.nullable();

const item_fields = {
  id: id_text,
  version: z.int().min(1).describe('Rises when the content of the item changes; the age alone does not raise it'),
  status: item_status,
  kind: break_kind
    .nullable()
    .describe('The kind of its break, also when it is accepted or ignored; null: there is none'),
  class: clearing_class.nullable().describe('The class of its clearings; null: it has none'),
  rule: matched_by
    .nullable()
    .describe('`tolerance` when that rule accepts it, else the rule of the weakest of its matches; null: it has none'),
  sides: z
    .union([z.literal(1), z.literal(2), z.literal(3)])
    .describe('How many sides it needs; 2: no statement covers its clearings'),
  vcn_id: id_number.nullable().describe('The virtual card; null: not known'),
  merchant_name: text_or_null.describe('The merchant, by its authorization, else its clearings; null: not known'),
  authorization_ids: ids.describe(
    'Its authorizations, by their ids; more than one when a line is matched to clearings of several purchases',
  ),
  clearing_ids,
  line_ids,
  statement_line_id: id_number
    .nullable()
    .describe(
      'Of a line that the bank reported by itself, and that differs from the statement of its date: the line there with its reference; null: there is none',
    ),
  acquirer_reference: text_or_null.describe(
    'The acquirer reference of its first clearing that has one, else of a line; null: none has one',
  ),
  approval_code: text_or_null.describe(
    'The approval code of its first authorization that has one, else of a clearing; null: none has one',
  ),
  account_id: account_number
    .nullable()
    .describe('The account of its first statement line, by its number; null: it has no line'),
  booking_date: date.nullable().describe('When its first statement line was booked; null: it has no line'),
  bank_text: text_or_null.describe("The bank's text of its first statement line; null: it has no line"),
  bank_reference: text_or_null.describe("The bank's own reference of its first statement line; null: it has none"),
  authorized: side_amount.describe(
    'What was authorized; minor units of `currency`, purchases positive; null: the item has no such side',
  ),
  cleared: side_amount.describe(
    'What its clearings charge; minor units of `currency`, purchases positive; null: the item has no such side',
  ),
  stated: side_amount.describe(
    'What its statement lines book; minor units of `currency`, purchases positive, fees included; null: the item has no such side',
  ),
  fees: shown_amount.describe('The sum of its fee lines, joined or alone; minor units of `currency`'),
  difference: shown_amount.describe(
    'What does not agree: (stated - fees, else cleared) - (authorized, else cleared, else 0); minor units of `currency`',
  ),
  currency: currency.describe('The billing currency of its amounts, ISO 4217'),
  settlement_date: date.nullable().describe('The settlement date of its newest clearing; null: it has none'),
  due_date: date
    .nullable()
    .describe('When what is missing is due, or since when it is a break, YYYY-MM-DD; null: nothing is missing'),
  age_days: z
    .int()
    .min(0)
    .nullable()
    .describe('Days since the due date, 0 for a break before it; null: there is none, or it is to come'),
  period_id: id_number.nullable().describe('The closed period that froze it; null: it is open'),
  frozen_item_id: id_text
    .nullable()
    .describe('Of a late change, the item of a closed period for which it came; null: it came for none'),
  assignee: text_or_null.describe('Who takes care of it, by the name that was given; null: nobody'),
  pending_approval_id: id_text
    .nullable()
    .describe('The act on it that waits for a second person; no other act is possible meanwhile; null: none waits'),
  opened_at: shown_instant.describe('When its first record arrived, UTC'),
  matches: z.array(match).describe('How its records belong together'),
  alternatives: z.array(alternative).describe('Other ways to match its records, the best first'),
  suggestions: z
    .array(suggestion)
    .describe(
      'What a break with a side missing may be matched with, the best first, at most 5; empty in a list without `suggestions`',
    ),
  type: resourceType('reconciliation_item'),
  url: resource_url,
};

export const item = z.object(item_fields).meta({
  id: 'ReconciliationItem',
  description: 'A purchase, lone clearing or lone card line, with what was matched to it',
});

/** How many records of each kind an item shows. Their ids are all listed. */
export const item_records_max = 1_000;

const record_names = {
  merchant_name: text_or_null.describe('The merchant; null: not known'),
  merchant_id: text_or_null.describe("The acquirer's id of the merchant; null: not known"),
  approval_code: text_or_null.describe('The approval code; null: it has none'),
  net_reference_number: text_or_null.describe('The reference of the card network; null: it has none'),
};

export const item_clearing = z
  .object({
    id: id_number.describe('The clearing'),
    amount: shown_amount.describe('Minor units of the billing currency, purchases positive'),
    settlement_date: date.describe('When it settled'),
    class: clearing_class,
    transaction_id: z.string().describe("The network's id of the transaction"),
    acquirer_reference: text_or_null.describe('The acquirer reference; null: it has none'),
    ...record_names,
  })
  .meta({ id: 'ReconciliationItemClearing', description: 'A clearing of an item' });

export const item_authorization = z
  .object({
    id: id_number.describe('The authorization'),
    amount: shown_amount.describe(
      'The authorized amount with increments, less reversals; minor units of the billing currency, purchases positive',
    ),
    authorized_at: shown_instant.describe('When it was decided, UTC'),
    ...record_names,
  })
  .meta({ id: 'ReconciliationItemAuthorization', description: 'An authorization of an item' });

export const item_with_history = z
  .object({
    ...item_fields,
    lines: z.array(line).describe(`Its statement lines, the first ${item_records_max}`),
    statement_line: line
      .nullable()
      .describe('The line `statement_line_id`, which is of another item or of none; null: there is none'),
    clearings: z.array(item_clearing).describe(`Its clearings, the first ${item_records_max}`),
    authorizations: z.array(item_authorization).describe(`Its authorizations, the first ${item_records_max}`),
    has_more_alternatives: z.boolean().describe('More authorizations fit than the alternatives list'),
    history: z
      .array(act)
      .describe(
        'What people did to it and to the items merged into it, and their comments, the oldest first; then what the rule `tolerance` accepts',
      ),
  })
  .meta({ id: 'ReconciliationItemWithHistory', description: 'An item with its history' });

const whole_state = z
  .object({
    item_id: id_number.describe('The item'),
    kind: break_kind.nullable().describe('The kind of the break; null: it is none any more'),
    status: item_status,
    class: clearing_class.nullable().describe('The class of its clearings; null: it has none'),
    vcn_id: id_number.nullable().describe('The virtual card; null: not known'),
    authorized: item_fields.authorized,
    cleared: item_fields.cleared,
    stated: item_fields.stated,
    fees: item_fields.fees,
    difference: item_fields.difference,
    currency: item_fields.currency,
    due_date: item_fields.due_date,
    frozen_item_id: id_number
      .nullable()
      .describe('Of a late change, the item of a closed period for which it came; null: it came for none'),
    age: break_age.nullable().describe('Days since the due date; null: it is no break'),
  })
  .meta({ id: 'ReconciliationBreak', description: 'The item of a break in an event' });

const ended_state = z
  .object({
    item_id: id_number.describe('The item that it was'),
    status: z
      .enum(['merged', 'removed'])
      .describe('`merged`: it is part of another item, to which its id leads. `removed`: its records need no item'),
  })
  .meta({ id: 'EndedReconciliationItem', description: 'The item is no more' });

export const break_state = z
  .union([whole_state, ended_state])
  .meta({ id: 'ReconciliationBreakState', description: 'The item of a break in an event' });

/** The filters of lists of items, for the document. The domain reads them. */
export const item_filter = z
  .object({
    status: item_status.describe('Only items with this status'),
    class: clearing_class.describe('Only items whose clearings have this class'),
    kind: break_kind.describe('Only items with this kind of break'),
    vcn_id: filter_id.describe('Only items of this virtual card'),
    currency: currency.describe('Only items in this currency, ISO 4217'),
    settlement_date: dates.describe('Only items whose newest clearing settled on this date or these dates'),
    amount: amounts.describe(
      'Only items that were authorized, cleared or stated with this amount or these amounts; minor units',
    ),
    reference: compared_text.describe(
      "Only items with this acquirer reference of a clearing or a line, or with this reference of the bank; an acquirer reference of 17 digits also finds those of 23 digits with it, unless the installation's statement key is `whole`",
    ),
    merchant_name: compared_text.describe('Only items with exactly this merchant'),
    account_id: compared_text.describe('Only items whose first statement line is of this account, by its number'),
    booking_date: dates.describe('Only items whose first statement line was booked on this date or these dates'),
    assignee: compared_text.describe('Only items assigned to this name; `none`: items assigned to nobody'),
    age_days: z
      .union([z.int().min(0).max(99_999), rangeOf(String.raw`\d{1,5}`)])
      .describe('Only items so many days after their due date'),
  } satisfies Record<(typeof item_filter_names)[number], z.ZodType>)
  .partial()
  .describe('Several filters are ANDed. A range is `[from,to]` with both ends included. Either end may be empty.');
