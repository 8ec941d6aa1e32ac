import { approval_actions, type approval_filter_names, approval_statuses } from '@tallystick/reconciliation';
import * as z from 'zod';
import {
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
import { match_side, note } from './act-shapes.ts';
import { compared_text } from './range-shapes.ts';

const approval_status = z
  .enum(approval_statuses)
  .describe(
    '`pending`: it waits for a second person. `approving`: it is being done, or that was interrupted; to approve it again completes it. `outdated`: it could not be done any more when it was approved',
  )
  .register(type_names, { id: 'ApprovalStatus' });

const approval_action = z
  .enum(approval_actions)
  .describe('What was asked for: an act on an item, or to close or reopen a period')
  .register(type_names, { id: 'ApprovalAction' });

const ids = z.array(id_number).readonly();

const asked_match = z
  .object({
    authorization_id: id_number.nullable().describe('The authorization; null: none'),
    clearing_ids: ids.describe('The clearings'),
    line_ids: ids.describe('The statement lines'),
  })
  .meta({ id: 'ReconciliationAskedMatch', description: 'The records of a match that was asked for' });

export const approval = z
  .object({
    id: id_text,
    action: approval_action,
    item_id: id_text.nullable().describe('The item at that time; null: it is about a period'),
    version: id_number.nullable().describe('The version of the item that the one who asked saw; null: a period'),
    amount: shown_amount
      .nullable()
      .describe('The largest amount of the items, as it was compared; minor units of `currency`; null: a period'),
    currency: text_or_null.describe('The currency of the amount, ISO 4217; null: a period'),
    note: text_or_null.describe('Why, in the words of the one who asked; null: not stated'),
    reason: text_or_null.describe('The code or word that was given; null: none'),
    with: asked_match.nullable().describe('What an item is to be matched with; null: another action'),
    accept_difference: z.boolean().describe('Whether the match also accepts what is left'),
    side: match_side.nullable().describe('The side that an unmatch takes; null: that of the match made last'),
    closed_through: date.nullable().describe('The last day of the period; null: it is about an item'),
    period_id: id_number.nullable().describe('The period to reopen; null: another action'),
    status: approval_status,
    asked_by: z.string().describe('Who asked, as the audit log names callers: `key:17`'),
    asked_at: shown_instant.describe('When, UTC'),
    decided_by: text_or_null.describe('Who approved, refused or withdrew it, or tried to approve it; null: nobody yet'),
    decided_at: shown_instant.nullable().describe('When, UTC; null: not yet'),
    decided_note: text_or_null.describe(
      'Why, in the words of that person; of an outdated one, what changed; null: none',
    ),
    type: resourceType('reconciliation_approval'),
    url: resource_url,
  })
  .meta({ id: 'ReconciliationApproval', description: 'An act that waits for a second person, or did' });

export const approval_note = z
  .object({
    data: z.object({ note: note.nullish().describe('Why; the approval and the audit log keep it; null: not stated') }),
  })
  .meta({
    id: 'ReconciliationApprovalNote',
    description: 'Why an act is approved or withdrawn',
    examples: [{ data: { note: 'I saw the receipt' } }],
  });

export const refuse_act = z.object({ data: z.object({ note }) }).meta({
  id: 'ReconciliationRefusing',
  description: 'Why an act is refused',
  examples: [{ data: { note: 'It is another purchase' } }],
});

/** The filters of lists of approvals, for the document. The domain reads them. */
export const approval_filter = z
  .object({
    status: approval_status.describe('Only approvals with this status'),
    item_id: filter_id.describe('Only those about this item, by its id at that time'),
    asked_by: compared_text.describe('Only those that this caller asked for, as the audit log names callers'),
  } satisfies Record<(typeof approval_filter_names)[number], z.ZodType>)
  .partial()
  .describe('Several filters are ANDed.');

/** The state of an approval in an event. */
export const approval_state = z
  .object({
    approval_id: id_number.describe('The approval'),
    action: approval_action,
    item_id: id_number.nullable().describe('The item at that time; null: it is about a period'),
    version: approval.shape.version,
    amount: approval.shape.amount,
    currency: approval.shape.currency,
    note: approval.shape.note,
    status: approval_status,
    asked_by: approval.shape.asked_by,
    decided_by: approval.shape.decided_by,
    decided_note: approval.shape.decided_note,
  })
  .meta({ id: 'ReconciliationApprovalState', description: 'An act that waits for a second person, in an event' });
