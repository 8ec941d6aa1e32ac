import {
  direct_debit_statuses,
  scheduled_payment_statuses,
  scheduled_types,
  standing_order_statuses,
} from '@tallystick/accounts';
import {
  account_number,
  currency,
  date,
  id_text,
  type ShapeOf,
  shown_amount,
  shown_instant,
  shown_mcc,
} from '@tallystick/operations';
import * as z from 'zod';
import type {
  presentDirectDebit,
  presentScheduledPayment,
  presentStandingOrder,
  presentTransaction,
} from './presenter.ts';

const of_account = { account: account_number, currency } as const;

export const transaction = z
  .object({
    id: z.string().describe('The TransactionId of Open Banking'),
    ...of_account,
    bank_reference: z.string().nullable(),
    booking_date: date,
    value_date: date,
    amount: shown_amount.describe('Minor units (cents); a debit is negative'),
    bai_code: z
      .string()
      .regex(/^\d{3}$/)
      .describe('BAI code, three digits (service specification 4.6)'),
    text: z.string(),
    acquirer_reference: z.string().nullable(),
    balance_after: shown_amount.nullable(),
    merchant_name: z.string().nullable(),
    merchant_category_code: shown_mcc.nullable(),
    type: z.literal('transaction'),
  } satisfies ShapeOf<ReturnType<typeof presentTransaction>>)
  .meta({ id: 'BookedTransaction', description: 'A booked transaction of an account' });

export const direct_debit = z
  .object({
    id: id_text,
    ...of_account,
    mandate_reference: z.string(),
    status: z.enum(direct_debit_statuses),
    name: z.string(),
    frequency: z.string().nullable(),
    previous_payment_on: date.nullable(),
    previous_payment_amount: shown_amount.nullable(),
    updated_at: shown_instant,
    type: z.literal('direct_debit'),
  } satisfies ShapeOf<ReturnType<typeof presentDirectDebit>>)
  .meta({ id: 'DirectDebit', description: 'A direct debit mandate of an account' });

const creditor = {
  payment_reference: z.string().nullable(),
  creditor_scheme_name: z.string(),
  creditor_identification: z.string(),
  creditor_name: z.string().nullable(),
  updated_at: shown_instant,
} as const;

export const standing_order = z
  .object({
    id: id_text,
    ...of_account,
    reference: z.string(),
    status: z.enum(standing_order_statuses),
    frequency: z.string(),
    first_payment_on: date.nullable(),
    first_payment_amount: shown_amount.nullable(),
    next_payment_on: date.nullable(),
    next_payment_amount: shown_amount.nullable(),
    last_payment_on: date.nullable(),
    last_payment_amount: shown_amount.nullable(),
    final_payment_on: date.nullable(),
    final_payment_amount: shown_amount.nullable(),
    number_of_payments: z.string().nullable(),
    ...creditor,
    type: z.literal('standing_order'),
  } satisfies ShapeOf<ReturnType<typeof presentStandingOrder>>)
  .meta({ id: 'StandingOrder', description: 'A standing order of an account' });

export const scheduled_payment = z
  .object({
    id: id_text,
    ...of_account,
    reference: z.string(),
    status: z.enum(scheduled_payment_statuses),
    scheduled_on: date,
    scheduled_type: z.enum(scheduled_types),
    amount: shown_amount,
    ...creditor,
    type: z.literal('scheduled_payment'),
  } satisfies ShapeOf<ReturnType<typeof presentScheduledPayment>>)
  .meta({ id: 'ScheduledPayment', description: 'A scheduled payment of an account' });
