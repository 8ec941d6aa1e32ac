import type { ClearingInput } from '@tallystick/cards';
import { isDay } from '@tallystick/kernel';
import { currencyOfNumber, toMinorUnits } from '../currencies.ts';

/**
 * The columns of a card transaction, counted from 0, as public parsers read them. Column 0 is the
 * code of the line.
 */
export const column = {
  account_number: 1,
  posting_date: 2,
  transaction_reference_number: 3,
  sequence_number: 4,
  acquiring_bin: 6,
  card_acceptor: 7,
  supplier_name: 8,
  source_amount: 13,
  billing_amount: 14,
  source_currency: 15,
  merchant_category: 16,
  transaction_type: 17,
  transaction_date: 18,
  billing_currency: 19,
} as const;

/** The least number of columns of a card transaction: up to the billing currency. */
export const columns_min = 20;

/** The decimals of every amount, whatever its currency, as public parsers read them. */
export const amount_decimals = 2;

/**
 * The transaction types that are debits, and those that are credits, as public parsers read them.
 */
const debit_types: readonly string[] = [
  ...['10', '20', '22', '40', '50', '52', '54', '56', '62', '64', '66', '80', '82', '84', '86', '88'],
];
const credit_types: readonly string[] = ['11', '30', '31', '61', '63', '65', '71', '73'];

export interface CardTransactionProblem {
  readonly code: string;
  /** Contains no value of the file. */
  readonly reason: string;
}

export function readCardTransaction(columns: readonly string[]): ClearingInput | CardTransactionProblem {
  if (columns.length < columns_min) {
    return { code: 'columns_missing', reason: `a card transaction must have at least ${columns_min} columns` };
  }
  const value = (name: keyof typeof column): string | null => columns[column[name]]?.trim() || null;
  const card_number = value('account_number');
  if (card_number === null || !/^\d{12,19}$/.test(card_number)) {
    return { code: 'card_missing', reason: 'the account number must be 12 to 19 digits' };
  }
  const reference = value('transaction_reference_number');
  const sequence = value('sequence_number');
  if (reference === null)
    return { code: 'transaction_id_missing', reason: 'the transaction reference number is required' };
  const type = value('transaction_type') ?? '';
  if (!debit_types.includes(type) && !credit_types.includes(type)) {
    return { code: 'type_unknown', reason: 'the transaction type must be one that is known as a debit or a credit' };
  }
  const billing = amountOf(value('billing_amount'), value('billing_currency'));
  if (billing === null) {
    return {
      code: 'amount_malformed',
      reason: 'the billing amount must be digits with two decimals in a currency of ISO 4217',
    };
  }
  const has_source = /[^0]/.test(value('source_currency') ?? '');
  const source = has_source ? amountOf(value('source_amount'), value('source_currency')) : null;
  if (has_source && source === null) {
    return {
      code: 'amount_malformed',
      reason: 'the source amount must be digits with two decimals in a currency of ISO 4217',
    };
  }
  const settlement_date = dayOf(value('posting_date') ?? '');
  if (settlement_date === null) return { code: 'date_malformed', reason: 'the posting date must be MMDDYYYY' };
  const transaction_date = value('transaction_date');
  const authorization_date = transaction_date === null ? null : dayOf(transaction_date);
  if (transaction_date !== null && authorization_date === null) {
    return { code: 'date_malformed', reason: 'the transaction date must be MMDDYYYY' };
  }
  return {
    card_number,
    // Public parsers do not take the reference alone for unique.
    network_financial_transaction_id: sequence === null ? reference : `${reference}-${sequence}`,
    billing_amount: billing.minor_units,
    billing_currency: billing.currency,
    merchant_amount: source?.minor_units ?? null,
    merchant_currency: source?.currency ?? null,
    clearing_type: debit_types.includes(type) ? 'DEBIT' : 'CREDIT',
    settlement_date,
    authorization_date,
    acquirer_ica: value('acquiring_bin'),
    mcc: value('merchant_category'),
    merchant_id: value('card_acceptor'),
    merchant_name: value('supplier_name'),
  };
}

/** The digits of the billing amount, which the trailer of the block sums; null without them. */
export function billedDigits(columns: readonly string[]): bigint | null {
  const digits = columns[column.billing_amount]?.trim() ?? '';
  return digits_form.test(digits) ? BigInt(digits) : null;
}

/** A date of the format, MMDDYYYY, as YYYY-MM-DD; null for none. */
export function dayOf(text: string): string | null {
  if (!/^\d{8}$/.test(text)) return null;
  const day = `${text.slice(4)}-${text.slice(0, 2)}-${text.slice(2, 4)}`;
  return isDay(day) ? day : null;
}

const digits_form = /^\d{1,16}$/;

interface Amount {
  readonly minor_units: number;
  readonly currency: string;
}

function amountOf(digits: string | null, number: string | null): Amount | null {
  const currency = number !== null && /^\d{1,3}$/.test(number) ? currencyOfNumber(number.padStart(3, '0')) : null;
  if (currency === null || !digits_form.test(digits ?? '')) return null;
  const amount = Number(digits);
  const minor_units = Number.isSafeInteger(amount) ? toMinorUnits(amount, amount_decimals, currency) : null;
  return minor_units === null ? null : { minor_units, currency: currency.code };
}
