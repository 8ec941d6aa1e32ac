import type { BankAccount } from '../bank/bank-data.ts';
import {
  type DirectDebit,
  direct_debit_statuses,
  type ScheduledPayment,
  type StandingOrder,
  scheduled_payment_statuses,
  scheduled_types,
  standing_order_statuses,
} from '../bank/mandates-and-orders.ts';
import type { BankFields } from './bank-fields.ts';

export const direct_debit_fields = [
  'mandate_reference',
  'status',
  'name',
  'frequency',
  'previous_payment_on',
  'previous_payment_amount',
] as const;

const creditor_fields = [
  'payment_reference',
  'creditor_scheme_name',
  'creditor_identification',
  'creditor_name',
] as const;

export const standing_order_fields = [
  'reference',
  'status',
  'frequency',
  'first_payment_on',
  'first_payment_amount',
  'next_payment_on',
  'next_payment_amount',
  'last_payment_on',
  'last_payment_amount',
  'final_payment_on',
  'final_payment_amount',
  'number_of_payments',
  ...creditor_fields,
] as const;

export const scheduled_payment_fields = [
  'reference',
  'status',
  'scheduled_on',
  'scheduled_type',
  'amount',
  ...creditor_fields,
] as const;

/** The frequencies of standing orders in the standard. */
const frequency_form =
  /^(?:NotKnown|EvryDay|EvryWorkgDay|IntrvlDay:(?:0[2-9]|[12][0-9]|3[01])|IntrvlWkDay:0[1-9]:0[1-7]|WkInMnthDay:0[1-5]:0[1-7]|IntrvlMnthDay:(?:0[1-6]|12|24):(?:-0[1-5]|0[1-9]|[12][0-9]|3[01])|QtrDay:(?:ENGLISH|SCOTTISH|RECEIVED))$/;

/** The mandate that the fields describe; null when a required one is invalid. */
export function readDirectDebit(
  fields: BankFields,
  account: BankAccount,
  updated_at_ms: number,
): Omit<DirectDebit, 'id'> | null {
  for (const name of ['mandate_reference', 'status', 'name']) fields.require(name);
  const mandate_reference = fields.readReference('mandate_reference', 35);
  const status = fields.readChoice('status', direct_debit_statuses);
  const name = fields.readWords('name', 70);
  const frequency = fields.readWords('frequency', 35);
  const previous = fields.readPayment('previous_payment_on', 'previous_payment_amount');
  if (mandate_reference === null || status === null || name === null) return null;
  return {
    account_id: account.id,
    mandate_reference,
    status,
    name,
    frequency,
    previous_payment_on: previous.on,
    previous_payment_amount: previous.amount,
    updated_at_ms,
  };
}

/** The standing order that the fields describe; null when a required one is invalid. */
export function readStandingOrder(
  fields: BankFields,
  account: BankAccount,
  updated_at_ms: number,
): Omit<StandingOrder, 'id'> | null {
  for (const name of ['reference', 'status', 'frequency']) fields.require(name);
  const reference = fields.readReference('reference', 40);
  const status = fields.readChoice('status', standing_order_statuses);
  const frequency = fields.readText(
    'frequency',
    (text) => frequency_form.test(text),
    'a frequency of the standard, such as EvryDay or IntrvlMnthDay:01:28',
  );
  const first = fields.readPayment('first_payment_on', 'first_payment_amount');
  const next = fields.readPayment('next_payment_on', 'next_payment_amount');
  const last = fields.readPayment('last_payment_on', 'last_payment_amount');
  const final = fields.readPayment('final_payment_on', 'final_payment_amount');
  const number_of_payments = fields.readWords('number_of_payments', 35);
  const creditor = readCreditor(fields);
  if (reference === null || status === null || frequency === null || creditor === null) return null;
  return {
    account_id: account.id,
    reference,
    status,
    frequency,
    first_payment_on: first.on,
    first_payment_amount: first.amount,
    next_payment_on: next.on,
    next_payment_amount: next.amount,
    last_payment_on: last.on,
    last_payment_amount: last.amount,
    final_payment_on: final.on,
    final_payment_amount: final.amount,
    number_of_payments,
    ...creditor,
    updated_at_ms,
  };
}

/** The scheduled payment that the fields describe; null when a required one is invalid. */
export function readScheduledPayment(
  fields: BankFields,
  account: BankAccount,
  updated_at_ms: number,
): Omit<ScheduledPayment, 'id'> | null {
  for (const name of ['reference', 'status', 'scheduled_on', 'amount']) fields.require(name);
  const reference = fields.readReference('reference', 40);
  const status = fields.readChoice('status', scheduled_payment_statuses);
  const scheduled_on = fields.readDay('scheduled_on');
  const scheduled_type = fields.readChoice('scheduled_type', scheduled_types) ?? 'Execution';
  const amount = fields.readMoney('amount', 0);
  const creditor = readCreditor(fields);
  if (reference === null || status === null || scheduled_on === null) return null;
  if (amount === null || creditor === null) return null;
  return {
    account_id: account.id,
    reference,
    status,
    scheduled_on,
    scheduled_type,
    amount,
    ...creditor,
    updated_at_ms,
  };
}

function readCreditor(fields: BankFields) {
  for (const name of ['creditor_scheme_name', 'creditor_identification']) fields.require(name);
  const payment_reference = fields.readWords('payment_reference', 35);
  const named = fields.readIdentification('creditor_scheme_name', 'creditor_identification', 256);
  const creditor_name = fields.readWords('creditor_name', 350);
  if (named.scheme_name === null || named.identification === null) return null;
  return {
    payment_reference,
    creditor_scheme_name: named.scheme_name,
    creditor_identification: named.identification,
    creditor_name,
  };
}
