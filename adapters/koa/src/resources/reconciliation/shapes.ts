import {
  clearing_class,
  currency,
  date,
  id_number,
  id_text,
  resource_url,
  type ShapeOf,
  shown_amount,
  shown_instant,
  type_names,
} from '@tallystick/operations';
import { act_kinds, matched_by as matched_by_values } from '@tallystick/reconciliation';
import * as z from 'zod';
import { break_kind, item_status } from './break-shape.ts';
import type { presentAct, presentExplainedItem, presentItem } from './presenter.ts';

const ids = z.array(id_number).readonly();

export const matched_by = z
  .enum(matched_by_values)
  .describe('A rule of matching, `ard` (the acquirer reference of a line), `covering_set`, or `person`')
  .register(type_names, { id: 'MatchedBy' });

const match_side = z
  .enum(['authorization', 'statement'])
  .describe('The side to which clearings are matched')
  .register(type_names, { id: 'MatchSide' });

const members = {
  authorization_id: id_number.nullable(),
  clearing_ids: ids,
  line_ids: ids,
};

const match = z
  .object({
    side: match_side,
    rule: matched_by,
    class: clearing_class.nullable(),
    ...members,
    values: z
      .record(z.string(), z.union([z.string(), z.number()]).nullable())
      .describe('The values that made the match, by their names'),
  })
  .meta({ id: 'ReconciliationMatch', description: 'A match of an item' });

const alternative = z
  .object({ rule: matched_by, reason: z.string().describe('One sentence, with the values that fit'), ...members })
  .meta({ id: 'ReconciliationAlternative', description: 'Another way to match the records of an item' });

const act = z
  .object({
    at: shown_instant,
    actor: z.string().describe('Who did it: `key:<id>`, the `actor` of a call in process, or `command`'),
    action: z.enum(act_kinds),
    item_id: id_text.describe('The id of the item at that time; it may have been merged since'),
    note: z.string(),
    reason: z.string().nullable(),
  } satisfies ShapeOf<ReturnType<typeof presentAct>>)
  .meta({ id: 'ReconciliationAct', description: 'What a person did to an item' });

const side_amount = shown_amount.nullable();

const item_fields = {
  id: id_text,
  version: z.int().min(1).describe('Rises when the content of the item changes'),
  status: item_status,
  kind: break_kind.nullable().describe('Of the break, also when it is accepted or ignored; null: there is none'),
  class: clearing_class.nullable().describe('The class of its clearings; null: it has none'),
  rule: matched_by.nullable().describe('The weakest of its matches; null: it has none'),
  sides: z
    .union([z.literal(1), z.literal(2), z.literal(3)])
    .describe('How many sides it needs; 2: no statement covers its clearings'),
  vcn_id: id_number.nullable().describe('The virtual card'),
  merchant_name: z.string().nullable(),
  authorization_ids: ids.describe('More than one when a line is matched to clearings of several purchases'),
  clearing_ids: ids,
  line_ids: ids,
  authorized: side_amount.describe('Minor units, purchases positive; null: the item has no such side'),
  cleared: side_amount.describe('Minor units, purchases positive; null: the item has no such side'),
  stated: side_amount.describe('Minor units, purchases positive, fees included; null: the item has no such side'),
  fees: shown_amount.describe('Minor units: the part of `stated` that is fees'),
  difference: shown_amount.describe('(stated - fees, else cleared) - (authorized, else cleared, else 0)'),
  currency,
  settlement_date: date.nullable().describe('Of its newest clearing; null: it has none'),
  due_date: date.nullable().describe('When what is missing is due, or since when it is a break'),
  age_days: z
    .int()
    .min(0)
    .nullable()
    .describe('Days since the due date, 0 for a break before it; null: there is none, or it is to come'),
  period_id: id_number.nullable().describe('The closed period that froze it; null: it is open'),
  opened_at: shown_instant.describe('When its first record arrived'),
  matches: z.array(match),
  alternatives: z.array(alternative).describe('Other ways to match its records, the best first'),
  type: z.literal('reconciliation_item'),
  url: resource_url,
} satisfies ShapeOf<ReturnType<typeof presentItem>>;

/** An item in a list. */
export const item = z.object(item_fields).meta({
  id: 'ReconciliationItem',
  description: 'A purchase, lone clearing or lone card line, with what was matched to it',
});

/** An item with its history. */
export const item_with_history = z
  .object({
    ...item_fields,
    has_more_alternatives: z.boolean().describe('More authorizations fit than the alternatives list'),
    history: z.array(act).describe('What people did to it and to the items merged into it, the oldest act first'),
  } satisfies ShapeOf<ReturnType<typeof presentExplainedItem>>)
  .meta({ id: 'ReconciliationItemWithHistory', description: 'An item with its history' });

const note = z.string().meta({ minLength: 1, maxLength: 1000 }).describe('Why; the history and the audit log keep it');

const action = {
  note,
  reason: z.string().nullish().describe('A code or a word of your own, such as `merchant_refund_agreed`'),
  version: z
    .int()
    .min(1)
    .nullish()
    .describe('The version that you saw; refused (`conflict`) when the item has another one'),
};

/** The body of an action without further fields. */
export const plain_act = z.object({ data: z.object(action) }).meta({
  id: 'ReconciliationAction',
  description: 'An action on an item',
  examples: [{ data: { note: 'Agreed with the supplier' } }],
});

/** `POST items/:id/match`. */
export const match_act = z
  .object({
    data: z.object({
      ...action,
      with: z
        .object({
          authorization_id: id_number.nullish(),
          clearing_ids: z.array(id_number).nullish(),
          line_ids: z.array(id_number).nullish(),
        })
        .describe('What belongs to the item: the records of the other side'),
    }),
  })
  .meta({
    id: 'ReconciliationMatchAction',
    description: 'A match by hand',
    examples: [{ data: { with: { line_ids: [12] }, note: 'The bank confirmed the reference' } }],
  });

/** `POST items/:id/unmatch`. */
export const unmatch_act = z
  .object({
    data: z.object({
      ...action,
      side: match_side
        .nullish()
        .describe('The side that is taken from the clearings; by default that of the match made last'),
    }),
  })
  .meta({
    id: 'ReconciliationUnmatchAction',
    description: 'The undoing of a match',
    examples: [{ data: { note: 'Another purchase of that day' } }],
  });
