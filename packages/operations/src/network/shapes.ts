import {
  type AuthorizationItem,
  alias_length_max,
  answers,
  approval_code_form,
  authorization_statuses,
  type ClearingItem,
  card_number_form,
  clearing_classes,
  clearing_cycles,
  clearing_types,
  decline_codes,
  issuer_responses,
  match_makers,
  match_rule_by_hand,
  match_rule_max,
  message_types,
  type ReplacementAmounts,
  type ShownDecision,
  type ShownHold,
  type UnreadItem,
} from '@tallystick/cards';
import * as z from 'zod';
import {
  amount,
  asked_country,
  currency,
  date,
  id_either,
  id_number,
  instant,
  masked_number,
  type ShapeOf,
  short_text,
  shown_amount,
  shown_instant,
  shown_mcc,
  type_names,
} from '../fields.ts';

const text = short_text.nullish();

const approval_code = z.string().meta({ pattern: approval_code_form.source }).nullish();

/** The domain reads the date part of a date and time. */
const day = z
  .string()
  .meta({ pattern: z.core.regexes.date.source.replace('$', '(T[0-9:.,+Z-]+)?$') })
  .describe('YYYY-MM-DD');

const clearing_type = z
  .enum(clearing_types)
  .describe('DEBIT: a purchase. CREDIT: a return or reversal')
  .register(type_names, { id: 'ClearingType' });

const clearing_cycle = z
  .enum(clearing_cycles)
  .describe('The place of a clearing in a dispute')
  .register(type_names, { id: 'ClearingCycle' });

export const clearing_class = z
  .enum(clearing_classes)
  .describe('How a clearing compares with what it was matched to: the first class that applies')
  .register(type_names, { id: 'ClearingClass' });

const card_number = z
  .string()
  .regex(card_number_form, { error: () => 'must be 12 to 19 digits' })
  .describe('The whole number. Answers show it masked');

const mcc = z
  .string()
  .regex(/^\d{4}$/, { error: () => 'must be four digits' })
  .describe('Merchant category code, four digits');

const response_code = z.string().regex(/^[0-9A-Za-z]{2}$/, { error: () => 'must be two characters of DE39' });

const message_type_names = [...Object.values(message_types), ...Object.keys(message_types)];

/** The optional fields of an authorization message (service specification 2.9). */
const authorization_details = {
  advice_reason_code: text.describe('Why the network sends an advice, in its codes; null: not known'),
  acquirer_ica: text.describe('The acquiring bank, by its number in the network; null: not known'),
  card_holder_transaction_type_code: text.describe(
    'Two digits, or all six of the processing code (DE3). 20 and 28 as the first two are refunds; null: a purchase',
  ),
  financial_network_code: text.describe('The network that carried the message, in its codes; null: not known'),
  mcc_description: text.describe('The merchant category in words; null: not known'),
  merchant_city: text.describe('The city of the merchant; null: not known'),
  merchant_id: text.describe(
    "The merchant, by its acquirer's number; null: not known. Its clearing may be found by it: see ClearingMessage",
  ),
  merchant_name: text.describe('The merchant, as it names itself; null: not known'),
  merchant_state_or_country_code: text.describe(
    'The state of the merchant, else its country; null: not known. Three letters are a country',
  ),
  merchant_country: asked_country.describe(
    'The country of the merchant, as DEU or DE (ISO 3166-1); null: by merchant_state_or_country_code',
  ),
  card_present: z.boolean().nullish().describe('Whether the card was present at the merchant; null: not known'),
  net_reference_number: text.describe(
    'The reference of the network: financial network code (3), network reference (6), cycle date MMDD (4); null: not known. Its clearing is found by it: see ClearingMessage',
  ),
  pos_transaction_status: text.describe(
    'The state of the transaction at the point of sale, in codes of the network; null: not known',
  ),
  purchase_request_company_guid: text.describe('The purchase request, by its id at the company; null: not known'),
  purchase_request_issuer_guid: text.describe('The purchase request, by its id at the issuer; null: not known'),
  settlement_date: text.describe('When the network settles: four digits, MMDD; null: not known'),
  transaction_type: text.describe('The kind of transaction in words; null: the name of the message type'),
};

const replacement = amount.nullish();
const own_replacement = replacement.describe(
  'The same as in replacement_amounts. If both are sent, they must be equal. Null: not sent',
);

/** `POST /network/v1/authorizations`. */
export const authorization_message = z
  .object({
    data: z.object({
      card_number,
      expiry: z
        .string()
        .regex(/^\d{4}-(0[1-9]|1[0-2])$/, { error: () => 'must be YYYY-MM' })
        .nullish()
        .describe('When the card ends, YYYY-MM: compared with the card; null: not compared'),
      cvc: z
        .string()
        .regex(/^\d{3,4}$/, { error: () => 'must be three or four digits' })
        .nullish()
        .describe('The code of the card, three or four digits: compared with the card; null: not compared'),
      message_type_indicator: z
        .enum(message_type_names)
        .describe('The type of the message: its name, or its ISO 8583 number'),
      incremental: z
        .boolean()
        .nullish()
        .describe(
          'True: adds to the open authorization with this trace_id, within the limits of its window; null: false',
        ),
      partial_approval: z
        .boolean()
        .nullish()
        .describe('True: a part of the amount of a request may be approved (DE39 10); null: false'),
      explain: z
        .boolean()
        .nullish()
        .describe('True: the answer has the `decision`, with its facts but the expiry of the card; null: false'),
      trace_id: short_text
        .min(1)
        .describe('The reference that its reversal and its advices share. A clearing has none'),
      system_trace_audit_number: short_text.min(1).describe('The number of the message at its sender (STAN, DE11)'),
      transaction_date_time: instant.describe(
        'When the purchase took place, by the clock of the network: ISO 8601, with an offset',
      ),
      billing_amount: amount.describe('What the real card is charged; minor units of `billing_currency`'),
      billing_currency: currency.describe('The billing currency of the real card, ISO 4217'),
      merchant_amount: amount.describe('What the merchant asks for; minor units of `merchant_currency`'),
      merchant_currency: currency.describe('The currency of the merchant, ISO 4217'),
      mcc,
      response_code: response_code
        .nullish()
        .describe('Of an advice: the decision that was made elsewhere (DE39); null: it was approved'),
      approval_code: approval_code.describe(
        'Of an advice: the code of the approval that was made elsewhere; null: not known',
      ),
      replacement_amounts: z
        .object({
          billing_amount: replacement.describe('Minor units of `billing_currency`; null: not known'),
          settlement_amount: replacement.describe(
            'Minor units of the currency in which the network settles; null: not known',
          ),
          transaction_amount: replacement.describe('Minor units of `merchant_currency`; null: not known'),
        })
        .nullish()
        .describe(
          "Of a reversal: the corrected amounts. Null, or all absent or zero: a full reversal. Otherwise billing_amount or transaction_amount must be there in the currency of the card's limits; zero counts as absent. Before its original, a reversal in part lowers the original to the corrected amount",
        ),
      'replacement_amounts.billing_amount': own_replacement,
      'replacement_amounts.settlement_amount': own_replacement,
      'replacement_amounts.transaction_amount': own_replacement,
      ...authorization_details,
    }),
  })
  .meta({
    id: 'AuthorizationMessage',
    description: 'An authorization message of the card network. Fields that are not listed are ignored',
    examples: [
      {
        data: {
          card_number: '5454540000000005',
          message_type_indicator: 'Authorization Request',
          billing_amount: 12_500,
          billing_currency: 'USD',
          merchant_amount: 12_500,
          merchant_currency: 'USD',
          mcc: '5812',
          merchant_name: 'Corner Grocer',
          merchant_id: '526399000183',
          trace_id: 'MCC0112771121',
          system_trace_audit_number: '004711',
          transaction_date_time: '2026-11-21T09:10:00Z',
        },
      },
    ],
  });

/** `POST /network/v1/clearings`. The card is named by its number or its id. */
export const clearing_message = z
  .object({
    data: z.object({
      card_number: z
        .string()
        .regex(/^(\d{12,19}|[*xX].*)$/, { error: () => 'must be 12 to 19 digits' })
        .nullish()
        .describe(
          'The whole number. Beside vcn_id it may be masked, and is ignored. Null: the card is named by vcn_id',
        ),
      vcn_id: id_either.nullish().describe('The virtual card; null: it is named by its number'),
      network_financial_transaction_id: short_text
        .min(1)
        .describe(
          'The id of the clearing in the network. No other clearing has it. Zeros, or a number that a spreadsheet has rounded (`5.55E+17`), is refused',
        ),
      billing_amount: amount.describe('What the real card is charged; minor units of `billing_currency`'),
      billing_currency: currency.describe('The billing currency of the real card, ISO 4217'),
      clearing_type,
      settlement_date: day.describe('When the network settles it: YYYY-MM-DD, or an instant of that day'),
      partial: z.boolean().nullish().describe('True: more clearings of this authorization follow; null: false'),
      cycle: clearing_cycle.nullish().describe('Its place in a dispute; null: `first_presentment`'),
      merchant_amount: amount
        .nullish()
        .describe('What the merchant asks for; minor units of `merchant_currency`; null: not known'),
      merchant_currency: currency.nullish().describe('The currency of the merchant, ISO 4217; null: not known'),
      authorization_date: day
        .nullish()
        .describe('When the purchase was authorized: YYYY-MM-DD, or an instant of that day; null: not known'),
      acquirer_ica: text.describe('The acquiring bank, by its number in the network; null: not known'),
      acquirer_reference_data: text.describe(
        'The reference that the acquirer gave: it is also on the statement of the bank. 17 digits, or 23; null: not known',
      ),
      approval_code: approval_code.describe(
        'The approval code of its authorization; null: not known. Finds the authorization beside net_reference_number or merchant_id',
      ),
      exchange_rate: text.describe(
        'The rate from the merchant currency to the billing currency, as the network states it; null: not known',
      ),
      mcc: mcc.nullish().describe('Merchant category code, four digits; null: not known'),
      mcc_description: text.describe('The merchant category in words; null: not known'),
      merchant_id: text.describe(
        'The merchant_id of its authorization; null: not known. Finds the authorization beside approval_code or the amount',
      ),
      merchant_name: text.describe('The merchant, as it names itself; null: not known'),
      net_reference_number: text.describe(
        'The reference of its authorization: financial network code (3), network reference (6), cycle date MMDD (4); null: not known. Finds the authorization',
      ),
    }),
  })
  .meta({
    id: 'ClearingMessage',
    description:
      'A clearing of the card network. The card is named by its number or its id. Fields that are not listed are ignored. A clearing has no `trace_id`. It finds its authorization on the same card by the first of these: (1) the same 13 characters of `net_reference_number`, and the same `approval_code` if both have one; (2) the same 6 characters of the network reference within it and the same `approval_code`, at most one day apart; (3) the same `approval_code` and `merchant_id`, and an amount within 20 %; (4) the same `merchant_id` and amount, and `review` is true. A debit that has none of them, for example only an `approval_code`, is a `force_post`',
    examples: [
      {
        data: {
          card_number: '5454540000000005',
          network_financial_transaction_id: 'F000000004711',
          clearing_type: 'DEBIT',
          billing_amount: 12_500,
          billing_currency: 'USD',
          merchant_id: '526399000183',
          settlement_date: '2026-11-23',
        },
      },
    ],
  });

const shown_text = short_text.nullable();

const shown_replacement = amount.nullable();

const vcn_responses = [...new Set(Object.values(answers).map(({ vcn_response }) => vcn_response))];

export const decline_code = z
  .enum(decline_codes)
  .describe('The reasons to decline, the first that applies. U: the service could not decide, and nothing was approved')
  .register(type_names, { id: 'DeclineCode' });

const decline_reason = decline_code
  .nullable()
  .describe('Why it was declined: the first reason that applies; null: approved or recorded');

export const decision_fact = z
  .object({
    name: z
      .string()
      .describe('What it is: a control by its name, `asked`, `held`, `cleared`, `uses`, `window_start`, ...'),
    value: z
      .union([z.number(), z.string()])
      .describe("A number, an amount in minor units of the currency of the card's limits, or a text"),
  })
  .meta({ id: 'DecisionFact', description: 'A value that a decision compared' });

export const shown_decision = z
  .object({
    code: z
      .enum(['V', ...decline_codes])
      .describe('V: approved or recorded; else the reason to decline')
      .register(type_names, { id: 'DecisionCode' }),
    reason: z.string().describe('The decision in words'),
    facts: z
      .array(decision_fact)
      .describe('What the decision compared, before it; for an approval also what was left after it'),
  } satisfies ShapeOf<ShownDecision>)
  .meta({ id: 'Decision', description: 'Why a message was approved or declined' });

/** An authorization as answers and events show it (service specification 2.9). */
export const authorization_item = z
  .object({
    id: id_number
      .nullable()
      .describe(
        'The authorization; null when nothing was recorded: the card number is unknown, or there was an internal fault',
      ),
    company_id: id_number.nullable().describe('The company of the card; null when the card number is unknown'),
    vcn_id: id_number.nullable().describe('The virtual card; null when the card number is unknown'),
    rcn_id: id_number.nullable().describe('The real card; null when the card number is unknown'),
    rcn_alias: z
      .string()
      .max(alias_length_max)
      .nullable()
      .describe('The name of the real card; null when the card number is unknown'),
    card_number: masked_number,
    message_type_indicator: z
      .enum(Object.values(message_types))
      .describe('The type of an authorization message')
      .register(type_names, { id: 'MessageType' }),
    transaction_type: short_text.describe(
      'The kind of transaction in words, as the network sent it, else the name of the message type',
    ),
    trace_id: short_text.describe('The reference that its reversal and its advices share'),
    system_trace_audit_number: short_text.describe('The number of the message at its sender (STAN, DE11)'),
    transaction_date_time: shown_instant.describe('When the purchase took place, by the clock of the network, UTC'),
    billing_amount: amount.describe('What the real card is charged; minor units of `billing_currency`'),
    billing_currency: currency.describe('The billing currency of the real card, ISO 4217'),
    merchant_amount: amount.describe('What the merchant asked for; minor units of `merchant_currency`'),
    merchant_currency: currency.describe('The currency of the merchant, ISO 4217'),
    merchant_id: shown_text.describe("The merchant, by its acquirer's number; null: not known"),
    merchant_name: shown_text.describe('The merchant, as it names itself; null: not known'),
    merchant_city: shown_text.describe('The city of the merchant; null: not known'),
    merchant_state_or_country_code: shown_text.describe('The state of the merchant, else its country; null: not known'),
    merchant_country: z
      .string()
      .optional()
      .describe('The country of the merchant, ISO 3166-1 alpha-3, where it is known'),
    card_present: z.boolean().optional().describe('Whether the card was present at the merchant, where it is known'),
    mcc: shown_mcc,
    mcc_description: shown_text.describe('The merchant category in words; null: not known'),
    net_reference_number: shown_text.describe(
      'The reference of the network: financial network code (3), network reference (6), cycle date MMDD (4); null: not known',
    ),
    acquirer_ica: shown_text.describe('The acquiring bank, by its number in the network; null: not known'),
    advice_reason_code: shown_text.describe('Why the network sends an advice, in its codes; null: not known'),
    card_holder_transaction_type_code: shown_text.describe(
      'Processing code (DE3): 20 and 28 are refunds; null: not known',
    ),
    financial_network_code: shown_text.describe('The network that carried the message, in its codes; null: not known'),
    pos_transaction_status: shown_text.describe(
      'The state of the transaction at the point of sale, in codes of the network; null: not known',
    ),
    purchase_request_company_guid: shown_text.describe(
      'The purchase request, by its id at the company; null: not known',
    ),
    purchase_request_issuer_guid: shown_text.describe('The purchase request, by its id at the issuer; null: not known'),
    settlement_date: shown_text.describe('When the network settles: four digits, MMDD; null: not known'),
    replacement_amounts: z
      .object({
        billing_amount: shown_replacement.describe('Minor units of `billing_currency`; null: not known'),
        settlement_amount: shown_replacement.describe(
          'Minor units of the currency in which the network settles; null: not known',
        ),
        transaction_amount: shown_replacement.describe('Minor units of `merchant_currency`; null: not known'),
      } satisfies ShapeOf<ReplacementAmounts>)
      .describe('The corrected amounts of a reversal; all null for any other message'),
    status: z
      .enum(authorization_statuses)
      .describe(
        '`open`: it holds its amount. `partially_cleared`: it holds the rest. `cleared`, `reversed`, `expired` (the hold ended by itself), `released` (a person ended it), `declined`: it holds nothing',
      )
      .register(type_names, { id: 'AuthorizationStatus' }),
    decline_reason,
    broken_reason: decline_code
      .nullable()
      .describe(
        'The first reason to decline an advice that was recorded although a limit did not allow it; null: there is none',
      ),
    vcn_response: z
      .enum(vcn_responses)
      .describe('The meaning of `decline_reason` in words; Valid: approved or recorded')
      .register(type_names, { id: 'VcnResponse' }),
    issuer_response: z
      .enum(issuer_responses)
      .describe('The answer to the network; Approved also for what was only recorded'),
    response_code: response_code.describe('Response code of the network (DE39); 00: approved'),
    approval_code: z.string().max(6).nullable().describe('Issued when approved; null when declined'),
    decision: shown_decision
      .optional()
      .describe('Absent only in the answer to a message of the network without `explain`'),
    partial_approval: z
      .literal(true)
      .optional()
      .describe('A part of the amount could be approved; absent: only all of it'),
    approved_amount: amount
      .optional()
      .describe(
        'The part that was approved, with the response code 10; minor units of the limit currency of the card; absent: all of it was approved, or nothing',
      ),
    hold: z
      .object({
        authorized: amount.describe('What was authorized, with increments, less reversals'),
        held: amount.describe('What is still held of it'),
        cleared: shown_amount.describe('What has cleared of it: debits less credits'),
        ends_at: shown_instant
          .nullable()
          .describe(
            'When the hold ends, or ended: from then on nothing is held, even before `held` says so; null: it has no end, or nothing was ever held',
          ),
      } satisfies ShapeOf<ShownHold>)
      .optional()
      .describe(
        'What the authorization holds now, in minor units of the limit currency of the card. Absent in events and in answers to the network, and for a message that has no hold of its own: declined, an increment, a reversal',
      ),
  } satisfies ShapeOf<Omit<AuthorizationItem, 'decision'> & { readonly decision?: ShownDecision | undefined }>)
  .meta({ id: 'Authorization', description: 'An authorization as answers and events show it' });

/** The answer to a message that was refused before it was read. */
export const unread_authorization = authorization_item
  .pick({
    id: true,
    status: true,
    decline_reason: true,
    vcn_response: true,
    issuer_response: true,
    response_code: true,
    approval_code: true,
  } satisfies Record<keyof UnreadItem, true>)
  .meta({ id: 'UnreadAuthorization' });

/** A clearing as answers and events show it (service specification 2.10). */
export const clearing_item = z
  .object({
    id: id_number.describe('The clearing'),
    company_id: id_number.describe('The company of the card'),
    vcn_id: id_number.describe('The virtual card'),
    rcn_id: id_number.describe('The real card of the virtual card'),
    rcn_alias: z.string().max(alias_length_max).describe('The name of the real card'),
    card_number: masked_number,
    acquirer_ica: shown_text.describe('The acquiring bank, by its number in the network; null: not known'),
    acquirer_reference_data: shown_text.describe(
      'The reference that the acquirer gave: it is also on the statement of the bank; null: not known',
    ),
    approval_code: z.string().max(6).nullable().describe('The approval code of its authorization; null: not known'),
    authorization_date: date.nullable().describe('When the purchase was authorized, YYYY-MM-DD; null: not known'),
    net_reference_number: shown_text.describe(
      'The reference of the network: financial network code (3), network reference (6), cycle date MMDD (4); null: not known',
    ),
    billing_amount: amount.describe('What the real card is charged, never negative; minor units of `billing_currency`'),
    billing_currency: currency.describe('The billing currency of the real card, ISO 4217'),
    clearing_type,
    exchange_rate: shown_text.describe(
      'The rate from the merchant currency to the billing currency, as the network states it; null: not known',
    ),
    network_financial_transaction_id: short_text.describe(
      'The id of the clearing in the network. No other clearing has it',
    ),
    mcc: shown_mcc.nullable().describe('Merchant category code, four digits; null: not known'),
    mcc_description: shown_text.describe('The merchant category in words; null: not known'),
    merchant_amount: amount
      .nullable()
      .describe('What the merchant asked for; minor units of `merchant_currency`; null: not known'),
    merchant_currency: currency.nullable().describe('The currency of the merchant, ISO 4217; null: not known'),
    merchant_id: shown_text.describe("The merchant, by its acquirer's number; null: not known"),
    merchant_name: shown_text.describe('The merchant, as it names itself; null: not known'),
    settlement_date: date.describe('When the network settled it, YYYY-MM-DD'),
    cycle: clearing_cycle,
    partial: z.boolean().describe('True: more clearings of this authorization follow'),
    authorization_id: id_number.nullable().describe('The authorization that it was matched to; null: none'),
    clearing_id: id_number
      .nullable()
      .describe('The earlier clearing that it reverses, disputes or refunds; null: none'),
    match_rule: z
      .int()
      .min(1)
      .max(match_rule_max)
      .describe(`The matching rule that applied; ${match_rule_by_hand}: the match was made by hand`),
    matched_by: z.enum(match_makers).describe('Whether a rule decided the match, or a person chose or confirmed it'),
    review: z
      .boolean()
      .describe('True: a person should check the match, or a credit that is above what its purchase cleared'),
    class: clearing_class,
  } satisfies ShapeOf<ClearingItem>)
  .meta({ id: 'Clearing', description: 'A clearing as answers and events show it' });
