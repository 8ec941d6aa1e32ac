import { act_kinds, assignee_length_max, comment_length_max, filled_columns } from '@tallystick/reconciliation';
import * as z from 'zod';
import { id_number, id_text, shown_amount, shown_instant, text_or_null, type_names } from '../fields.ts';

export const match_side = z
  .enum(['authorization', 'statement'])
  .describe('The side to which clearings are matched')
  .register(type_names, { id: 'MatchSide' });

export const act = z
  .object({
    at: shown_instant.describe("When it was done, by the service's clock, UTC"),
    actor: z
      .string()
      .describe('Who did it: `key:<id>`, the `actor` of a call in process, `command`, or `rule:tolerance`'),
    action: z.enum([...act_kinds, 'comment']).describe('What was done; `comment`: only what `note` says'),
    item_id: id_text.describe('The id of the item at that time; it may have been merged since'),
    note: z
      .string()
      .describe(
        'Why, in the words of the person, or the comment; of the rule `tolerance`, what is left and the tolerance',
      ),
    reason: text_or_null.describe('The code or word that the person gave; null: none'),
    approved_by: text_or_null.describe('The second person, who approved it; null: it needed none'),
    accepted_difference: shown_amount
      .nullable()
      .describe(
        'The difference that the match or the rule accepts; minor units of the currency of the item; null: none',
      ),
  })
  .meta({
    id: 'ReconciliationAct',
    description: 'What a person did to an item, or what the rule `tolerance` accepts of it',
  });

/** `POST items/:id/comments`. */
export const comment_on_item = z
  .object({
    data: z.object({
      text: z
        .string()
        .meta({ minLength: 1, maxLength: comment_length_max })
        .describe('The comment; the history and the audit log keep it'),
    }),
  })
  .meta({
    id: 'ReconciliationComment',
    description: 'A comment on an item',
    examples: [{ data: { text: 'Asked the hotel for the receipt' } }],
  });

/** `PUT items/:id/assignee`. */
export const assign_item = z
  .object({
    data: z.object({
      assignee: text_or_null
        .meta({ minLength: 1, maxLength: assignee_length_max })
        .describe('Who takes care of the item, by any name other than `none`; null: nobody'),
    }),
  })
  .meta({
    id: 'ReconciliationAssignment',
    description: 'Who takes care of an item',
    examples: [{ data: { assignee: 'anna' } }],
  });

export const note = z
  .string()
  .meta({ minLength: 1, maxLength: 1000 })
  .describe('Why; the history and the audit log keep it');

export const reason = z
  .string()
  .nullish()
  .describe('A code or a word of your own, such as `merchant_refund_agreed`; null: none');

const action = {
  note,
  reason,
  version: z
    .int()
    .min(1)
    .nullish()
    .describe('The version that you saw: refused (`conflict`) when the item has another one; null: not compared'),
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
          authorization_id: id_number.nullish().describe('An authorization; null: none'),
          clearing_ids: z.array(id_number).nullish().describe('Clearings; null: none'),
          line_ids: z.array(id_number).nullish().describe('Statement lines; null: none'),
        })
        .describe('What belongs to the item: the records of the other side'),
      accept_difference: z
        .boolean()
        .nullish()
        .describe('True: also accepts what is left between the two sides, and `reason` is required; null: false'),
    }),
  })
  .meta({
    id: 'ReconciliationMatchAction',
    description: 'A match by hand',
    examples: [
      { data: { with: { line_ids: [12] }, note: 'The bank confirmed the reference' } },
      {
        data: {
          with: { line_ids: [12] },
          accept_difference: true,
          note: 'The bank booked 0.02 less',
          reason: 'rounding',
        },
      },
    ],
  });

/** `POST items/:id/unmatch`. */
export const unmatch_act = z
  .object({
    data: z.object({
      ...action,
      side: match_side
        .nullish()
        .describe('The side that is taken from the clearings; null: that of the match made last'),
    }),
  })
  .meta({
    id: 'ReconciliationUnmatchAction',
    description: 'The undoing of a match',
    examples: [{ data: { note: 'Another purchase of that day' } }],
  });

const count = z.int().min(0);

export const row_error = z
  .object({
    row: z.int().min(1).describe('The row of the table; the line of names is row 1'),
    column: z.enum(filled_columns).describe('The column with the wrong value'),
    message: z.string().describe('What it must be'),
  })
  .meta({ id: 'ReconciliationRowError', description: 'What is wrong with a row of a table' });

export const table_answer = z
  .object({
    dry_run: z.boolean().describe('True: nothing was decided'),
    rows: count.describe('Rows below the names'),
    skipped: count.describe('Rows without a decision'),
    decided: count.describe('Rows whose decision was made; in a dry run, would be made'),
    pending: count.describe('Rows whose act waits for a second person; in a dry run, would wait'),
    unchanged: count.describe('Rows whose decision with that note stands already'),
    errors: z.array(row_error).readonly().describe('The first errors; empty unless it was a dry run'),
    errors_total: count.describe('All errors, listed or not'),
  })
  .meta({ id: 'ReconciliationDecisions', description: 'The result of a table of decisions' });
