import {
  authorization_statuses,
  card_number_form,
  clearing_cycles,
  clearing_types,
  message_types,
} from '@tallystick/cards';
import * as z from 'zod';
import { amount, currency, id_either, id_number, instant, short_text, told_amount } from '../fields.ts';

const text = short_text.nullish();

const card_number = z
  .string()
  .regex(card_number_form, { error: () => 'must be 12 to 19 digits' })
  .describe('In clear; answered masked');

const mcc = z.string().regex(/^\d{4}$/, { error: () => 'must be four digits' });

const message_type_names = [...Object.values(message_types), ...Object.keys(message_types)];

/** What an authorization message may carry beside what is required (service specification 2.9). */
const authorization_details = {
  advice_reason_code: text,
  acquirer_ica: text,
  card_holder_transaction_type_code: text.describe(
    'Two digits, or the six of DE3; the first two decide: 20 and 28 are refunds',
  ),
  financial_network_code: text,
  mcc_description: text,
  merchant_city: text,
  merchant_id: text,
  merchant_name: text,
  merchant_state_or_country_code: text,
  net_reference_number: text,
  pos_transaction_status: text,
  purchase_request_company_guid: text,
  purchase_request_issuer_guid: text,
  settlement_date: text.describe('Four digits'),
  transaction_type: text.describe('When absent, the name of the message type'),
};

const replacement = amount.nullish();
const own_replacement = replacement.describe('As in replacement_amounts, beside or instead of it; two must not differ');

/** `POST /network/v1/authorizations`. */
export const authorization_message = z
  .object({
    data: z.object({
      card_number,
      expiry: z
        .string()
        .regex(/^\d{4}-(0[1-9]|1[0-2])$/, { error: () => 'must be YYYY-MM' })
        .nullish(),
      cvc: z
        .string()
        .regex(/^\d{3,4}$/, { error: () => 'must be three or four digits' })
        .nullish(),
      message_type_indicator: z.enum(message_type_names),
      incremental: z.boolean().nullish().describe('Adds to the open authorization with this trace_id'),
      trace_id: short_text.min(1),
      system_trace_audit_number: short_text.min(1),
      transaction_date_time: instant,
      billing_amount: amount,
      billing_currency: currency,
      merchant_amount: amount,
      merchant_currency: currency,
      mcc,
      response_code: z
        .string()
        .regex(/^[0-9A-Za-z]{2}$/, { error: () => 'must be two characters of DE39' })
        .nullish()
        .describe('Of an advice: what was decided elsewhere'),
      approval_code: text,
      replacement_amounts: z
        .object({ billing_amount: replacement, settlement_amount: replacement, transaction_amount: replacement })
        .nullish()
        .describe(
          'Of a reversal: the corrected amounts; all absent or zero: in full; zero beside another of the same currency: left out',
        ),
      'replacement_amounts.billing_amount': own_replacement,
      'replacement_amounts.settlement_amount': own_replacement,
      'replacement_amounts.transaction_amount': own_replacement,
      ...authorization_details,
    }),
  })
  .meta({
    id: 'AuthorizationMessage',
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
        .describe('In clear; beside vcn_id a masked one, which is ignored'),
      vcn_id: id_either.nullish(),
      network_financial_transaction_id: short_text.min(1),
      billing_amount: amount,
      billing_currency: currency,
      clearing_type: z.enum(clearing_types),
      settlement_date: short_text.min(1).describe('YYYY-MM-DD'),
      partial: z.boolean().nullish().describe('True: more clearings of this authorization follow'),
      cycle: z.enum(clearing_cycles).nullish(),
      merchant_amount: amount.nullish(),
      merchant_currency: currency.nullish(),
      authorization_date: text,
      acquirer_ica: text,
      acquirer_reference_data: text,
      approval_code: text,
      exchange_rate: text,
      mcc: mcc.nullish(),
      mcc_description: text,
      merchant_id: text,
      merchant_name: text,
      net_reference_number: text,
    }),
  })
  .meta({
    id: 'ClearingMessage',
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

const told = z.string().nullable();

/** An authorization as answers show it (service specification 2.9, and what the decisions add). */
export const authorization_item = z
  .looseObject({
    id: z.union([id_number, z.null()]).describe('Null when the number is unknown'),
    status: z.enum(authorization_statuses),
    decline_reason: told,
    vcn_response: z.string(),
    issuer_response: z.enum(['Approved', 'Declined']),
    approval_code: told,
    card_number: z.string().describe('Masked'),
    vcn_id: id_number.nullable(),
    message_type_indicator: z.string(),
    transaction_date_time: z.string(),
    trace_id: z.string(),
    system_trace_audit_number: z.string(),
    billing_amount: told_amount,
    billing_currency: z.string(),
    merchant_amount: told_amount,
    merchant_currency: z.string(),
    mcc: z.string(),
    merchant_name: told.optional(),
  })
  .meta({ id: 'Authorization' });

/** What the network is told: the item, with the response code of DE39. */
export const authorization_answer = authorization_item
  .extend({ response_code: z.string().describe('DE39') })
  .meta({ id: 'AuthorizationAnswer' });

/** A clearing as answers show it (service specification 2.10). */
export const clearing_item = z
  .looseObject({
    id: id_number,
    network_financial_transaction_id: z.string(),
    clearing_type: z.string(),
    billing_amount: told_amount,
    billing_currency: z.string(),
    settlement_date: z.string(),
    card_number: z.string().describe('Masked'),
    vcn_id: id_number,
    rcn_id: id_number,
    rcn_alias: z.string(),
  })
  .meta({ id: 'Clearing' });
