import { maskCardNumbers, toStorableText } from '@tallystick/kernel';
import { bai_codes } from '../bai-codes.ts';
import { balanceMaxOf } from '../bank/account-balance.ts';
import type { BankAccount } from '../bank/bank-data.ts';
import { acquirerReferenceIn, isAcquirerReference, type StatementLine } from '../statement-line.ts';
import { type BankFields, requireCurrency } from './bank-fields.ts';

export const transaction_fields = [
  'bank_reference',
  'booking_date',
  'value_date',
  'amount',
  'currency',
  'bai_code',
  'text',
  'acquirer_reference',
  'balance_after',
] as const;

/** The longest text of a transaction, in UTF-16 units. A longer one is cut. */
const text_length_max = 4_000;

/** A line that the bank reports by itself, and that has a reference. */
export type ReportedTransaction = Omit<StatementLine, 'id'> & { readonly bank_reference: string };

/**
 * The statement line that the fields describe; null when one of them is invalid. The rules are those
 * of the lines of statement files, and a known BAI code must have the sign of the amount.
 */
export function readTransaction(
  fields: BankFields,
  account: BankAccount,
  recorded_at_ms: number,
): ReportedTransaction | null {
  for (const name of ['bank_reference', 'booking_date', 'amount', 'bai_code']) fields.require(name);
  const bank_reference = fields.readReference('bank_reference', 255);
  const booking_date = fields.readDay('booking_date');
  const value_date = fields.readDay('value_date') ?? booking_date;
  const amount = fields.readMoney('amount');
  requireCurrency(fields, account);
  const bai_code = fields.readText('bai_code', (text) => /^[0-9]{3}$/.test(text), 'three digits');
  const text = fields.readParsed('text', (value) => value, 'text') ?? '';
  const named = fields.readText('acquirer_reference', isAcquirerReference, '17 or 23 digits');
  const balance_max = balanceMaxOf(account.currency);
  const balance_after = fields.readMoney('balance_after', -balance_max, balance_max);
  const sign = bai_code === null ? undefined : bai_codes.get(bai_code)?.sign;
  if (amount !== null && amount !== 0 && sign !== undefined && (sign === 'credit') !== amount > 0) {
    fields.addProblem('amount', `must be ${sign === 'credit' ? 'positive' : 'negative'}: ${bai_code} is a ${sign}`);
  }
  if (bank_reference === null || booking_date === null || value_date === null) return null;
  if (amount === null || bai_code === null) return null;
  return {
    account_id: account.id,
    company_id: account.company_id,
    currency: account.currency,
    statement_id: null,
    place: null,
    occurrence: 1,
    bank_reference,
    booking_date,
    value_date,
    amount,
    bai_code,
    text: toStorableText(maskCardNumbers(text).slice(0, text_length_max)),
    acquirer_reference: named ?? acquirerReferenceIn(text),
    balance_after,
    standing: null,
    recorded_at_ms,
  };
}
