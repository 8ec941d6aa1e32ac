import {
  blockers,
  client_parts,
  network_text_length_max,
  row_results,
  type TryDecisionRequest,
  try_days_max,
} from '@tallystick/cards';
import * as z from 'zod';
import { consultation } from '../decision-endpoint/consultation-shapes.ts';
import {
  amount,
  asked_country,
  currency,
  id_number,
  id_text,
  instant,
  resourceType,
  shown_amount,
  shown_instant,
  shown_mcc,
  type_names,
} from '../fields.ts';
import { authorization_item, decision_fact, decline_code, shown_decision } from '../network/shapes.ts';

const version_number = z.int().min(1);

const facts = z.array(decision_fact);

const decision_row = z
  .object({
    code: decline_code.describe('The reason to decline'),
    vcn_response: z.string().describe('Its name'),
    response_code: z.string().describe('DE39'),
    reason: z.string().describe('When it applies, in words'),
    result: z
      .enum(row_results)
      .describe(
        'The first `failed` reason is the answer, and those after it are `not_reached`. `not_applied`: it does not concern the message, as limits do not concern a refund. `unknown`: what it compares was not sent',
      )
      .register(type_names, { id: 'DecisionRowResult' }),
    would_decline: z
      .boolean()
      .nullable()
      .describe('Whether it would decline the message even if no other reason did; null: not known'),
    limits: facts.describe('What the message was compared with'),
    values: facts.describe('What was compared'),
  })
  .meta({ id: 'DecisionRow', description: 'A reason to decline, and what it did in a decision' });

const table = z.array(decision_row).describe('Every reason in the order in which it is tried');

const window_balance = z
  .object({
    held: shown_amount.describe('Open holds of the window'),
    cleared: shown_amount.describe('Debits less credits that cleared in the window; 0 when credits exceed debits'),
    uses: z.int().min(0).describe('Uses of the window'),
    available: shown_amount
      .nullable()
      .describe('What the window left of the total; null: the total is no longer known'),
  })
  .meta({
    id: 'WindowBalance',
    description: "What the window of a decision counted; minor units of the currency of the card's limits",
  });

const would_pass_up_to = amount
  .nullable()
  .describe(
    'The largest amount of the same message that no reason would decline, in the state of `before`; minor units of the currency of the limits; null: no amount, a refund, or no longer known',
  );

const blocked_by = z
  .enum(blockers)
  .nullable()
  .describe(
    "Who declined it: the controls of the card, its template or its company's state (`card_limits`), the decision endpoint of the company, or what stood in for its answer (`company_endpoint`), the card network, which declined it itself or reversed it first (`network`), or the service, which had no place to ask the endpoint, so that a rule stood in (`fault`); null: nobody. Other faults record nothing",
  )
  .register(type_names, { id: 'DecisionBlocker' });

const field_change = z
  .object({
    name: z.string().describe('The field'),
    before: z.unknown().describe('Its value before the change'),
    after: z.unknown().describe('Its value after the change'),
  })
  .meta({ id: 'FieldChange', description: 'A field that a change gave another value' });

const version_fields = {
  version: version_number.describe('Its number: 1 at first, one more with each change'),
  from: shown_instant.nullable().describe('When it began, UTC; null: no longer known'),
  until: shown_instant.nullable().describe('When the next one began, UTC; null: it is the present one'),
  by: z
    .string()
    .nullable()
    .describe('Who made the change: an API key as `key:<id>`, a job, a command; null: the first version'),
  request_id: z.string().nullable().describe('The request that made the change; null: none, or the first version'),
  changes: z
    .array(field_change)
    .nullable()
    .describe('What differs from the version before; null: the first version, or no longer known'),
};

const state = z.record(z.string(), z.unknown());

export const card_version = z
  .object({
    ...version_fields,
    state: state.describe('The controls of the card in this version, with its status and since when it was frozen'),
    type: resourceType('virtualcard_version'),
  })
  .meta({ id: 'VirtualCardVersion', description: 'The controls of a card from one change to the next' });

export const template_version = z
  .object({
    ...version_fields,
    state: state.describe('The rules of the template in this version, with its status'),
    type: resourceType('purchase_template_version'),
  })
  .meta({ id: 'TemplateVersion', description: 'The rules of a template from one change to the next' })
  .register(type_names, { id: 'PurchaseTemplateVersion' });

/** `GET /v1/virtualcards/:id/decisions/:authorization_id`. */
export const explained_decision = z
  .object({
    id: id_text.describe('The authorization'),
    vcn_id: id_number.describe('The virtual card'),
    decided_at: shown_instant.describe('When it was decided, UTC'),
    decision: shown_decision,
    blocked_by,
    applied_anyway: z
      .boolean()
      .describe('Whether it counts although a reason applies: an advice reports an approval that was made elsewhere'),
    client: consultation
      .nullable()
      .describe('What the company was asked about it; null: it was not asked, or that is no longer known'),
    table,
    would_pass_up_to,
    reproduced: z
      .boolean()
      .nullable()
      .describe(
        'Whether the table, computed from the versions of then, has the answer that was given: always true when all is known; null: not all is known',
      ),
    before: window_balance.nullable().describe('Before the message; null: it compared nothing'),
    after: window_balance.nullable().describe('After the message; null: not known'),
    versions: z
      .object({
        controls: version_number.describe('The version of the controls of the card'),
        template_id: id_number.nullable().describe('The purchase template; null: no longer known'),
        template: version_number.describe('The version of the template'),
      })
      .nullable()
      .describe('What the message was compared with; null: it compared nothing'),
    controls: state.nullable().describe('The controls of then; null: no longer known, or nothing was compared'),
    no_longer_known: z.array(z.string()).describe('What is no longer known, in words; empty: all is known'),
    changed_since: z
      .array(card_version)
      .max(100)
      .describe("The card's versions since then, the newest first, at most 100: who changed what"),
    authorization: authorization_item,
    type: resourceType('decision'),
  })
  .meta({ id: 'ExplainedDecision', description: 'A decision with every reason, as it was when it was made' });

const text = z.string().max(network_text_length_max).nullish();

/** `POST /v1/virtualcards/:id/decisions`. */
export const try_decision = z
  .object({
    data: z.object({
      amount: amount.describe("The amount of the purchase, in the currency of the card's limits; 0: a verification"),
      merchant_currency: currency
        .nullish()
        .describe("The currency of the merchant, ISO 4217; null: that of the card's limits"),
      mcc: shown_mcc
        .nullish()
        .describe('Merchant category code, four digits; null: the template is not tried, unless it allows every code'),
      merchant_id: text.describe("The merchant, by its acquirer's number; null: not sent"),
      merchant_name: text.describe('The merchant, as it names itself; null: not sent'),
      merchant_country: asked_country.describe(
        'The country of the merchant, ISO 3166-1, two or three letters; null: not sent',
      ),
      card_present: z.boolean().nullish().describe('Whether the card is present at the merchant; null: not sent'),
      refund: z.boolean().nullish().describe('True: a refund, which meets no limit; null: false'),
      at: instant
        .nullish()
        .describe(`When: from now to ${try_days_max} days ahead, ISO 8601 with an offset; null: now`),
    } satisfies Readonly<Record<keyof TryDecisionRequest, z.ZodType>>),
  })
  .meta({
    id: 'TryDecision',
    description: 'A purchase of which the decision is tried',
    examples: [{ data: { amount: 2_500, merchant_currency: 'USD', mcc: '5812' } }],
  });

export const tried_decision = z
  .object({
    vcn_id: id_number.describe('The virtual card'),
    at: shown_instant.describe('When it would be decided, UTC'),
    decision: shown_decision,
    blocked_by,
    client: z
      .enum(client_parts)
      .describe('`would_be_asked`: then the decision endpoint of the company would be asked, which is not done here')
      .register(type_names, { id: 'ClientPart' }),
    table,
    would_pass_up_to,
    before: window_balance.describe('Before the purchase, if nothing comes between'),
    after: window_balance.describe('After the purchase'),
    versions: z
      .object({
        controls: version_number.describe('The version of the controls of the card'),
        template_id: id_number.describe('The purchase template'),
        template: version_number.describe('The version of the template'),
      })
      .describe('What the purchase is compared with'),
    type: resourceType('tried_decision'),
  })
  .meta({ id: 'TriedDecision', description: 'What would be decided about a purchase. Nothing is recorded' });
