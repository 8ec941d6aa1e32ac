import type { FileClearing } from '@tallystick/imports';
import { isDay, showValue } from '@tallystick/kernel';
import { Additions, notZeros } from '../additions.ts';
import { cardNumberOf } from '../card-number.ts';
import { currencyOf, toMinorUnits } from '../currencies.ts';

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
  /** Contains no card number. */
  readonly reason: string;
}

export function readCardTransaction(
  columns: readonly string[],
): Pick<FileClearing, 'input' | 'unread'> | CardTransactionProblem {
  if (columns.length < columns_min) {
    return { code: 'columns_missing', reason: `a card transaction must have at least ${columns_min} columns` };
  }
  const value = (name: keyof typeof column): string | null => columns[column[name]]?.trim() || null;
  const card_number = cardNumberOf(value('account_number') ?? '');
  if (card_number === null) return { code: 'card_missing', reason: 'the account number must be 12 to 19 digits' };
  const type = value('transaction_type');
  if (type === null)
    return { code: 'direction_missing', reason: 'the direction is missing: the transaction type is empty' };
  if (!debit_types.includes(type) && !credit_types.includes(type)) {
    const reason = `the transaction type must be one that is known as a debit or a credit, not ${showValue(type)}`;
    return { code: 'type_unknown', reason };
  }
  const billing = amountOf(value('billing_amount'), value('billing_currency'));
  if (billing === null) {
    return {
      code: 'amount_malformed',
      reason: `the billing amount must be digits with two decimals in a currency of ISO 4217, not ${showValue(value('billing_amount') ?? '')} in ${showValue(value('billing_currency') ?? '')}`,
    };
  }
  const posting_date = value('posting_date') ?? '';
  const settlement_date = dayOf(posting_date);
  if (settlement_date === null) {
    return { code: 'date_malformed', reason: `the posting date must be MMDDYYYY, not ${showValue(posting_date)}` };
  }
  const additions = new Additions();
  // Without a currency the source amount states nothing.
  const source_amount = notZeros(value('source_currency')) === null ? null : value('source_amount');
  const source = additions.read('merchant_amount', source_amount, (digits) =>
    amountOf(digits, value('source_currency')),
  );
  return {
    input: {
      card_number,
      network_financial_transaction_id: idOf(value('transaction_reference_number'), value('sequence_number')),
      billing_amount: billing.minor_units,
      billing_currency: billing.currency,
      merchant_amount: source?.minor_units ?? null,
      merchant_currency: source?.currency ?? null,
      clearing_type: debit_types.includes(type) ? 'DEBIT' : 'CREDIT',
      settlement_date,
      authorization_date: additions.read('authorization_date', notZeros(value('transaction_date')), dayOf),
      acquirer_ica: additions.text('acquirer_ica', value('acquiring_bin')),
      mcc: additions.mcc(value('merchant_category')),
      merchant_id: additions.text('merchant_id', value('card_acceptor')),
      merchant_name: additions.text('merchant_name', value('supplier_name')),
    },
    ...additions.omissions,
  };
}

/**
 * The reference with the sequence number: public parsers do not take the reference alone for
 * unique. Null for a charge without a reference.
 */
function idOf(reference: string | null, sequence: string | null): string | null {
  if (notZeros(reference) === null) return null;
  return notZeros(sequence) === null ? reference : `${reference}-${sequence}`;
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

const digits_form = /^\d{1,30}$/;

interface Amount {
  readonly minor_units: number;
  readonly currency: string;
}

function amountOf(digits: string | null, stated_currency: string | null): Amount | null {
  const currency = currencyOf(stated_currency ?? '');
  if (currency === null || !digits_form.test(digits ?? '')) return null;
  const minor_units = toMinorUnits(Number(digits), amount_decimals, currency);
  return minor_units === null ? null : { minor_units, currency: currency.code };
}
