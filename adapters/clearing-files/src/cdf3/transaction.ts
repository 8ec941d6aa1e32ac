import type { ClearingInput } from '@tallystick/cards';
import { isDay } from '@tallystick/kernel';
import { currencyOfNumber, toMinorUnits } from '../currencies.ts';

/** The amounts of a transaction. The network converts from the first to the others. */
export const amount_names = ['AmountInOriginalCurrency', 'AmountInPostedCurrency', 'AmountInBillingCurrency'] as const;

export type AmountName = (typeof amount_names)[number];

/**
 * The elements and attributes that a transaction or an adjustment states, in the format's own
 * words.
 */
export interface Stated {
  readonly values: ReadonlyMap<string, string>;
  /** The attributes of the amounts. */
  readonly attributes: ReadonlyMap<string, Readonly<Record<string, string>>>;
  /** AccountNumber of its AccountEntity. */
  readonly account_number: string | null;
  /** ProcessorTransactionId of its FinancialTransactionEntity. */
  readonly entity_transaction_id: string | null;
}

export interface StatedClearing {
  readonly input: ClearingInput;
  readonly last4: string | null;
}

export class TransactionProblem {
  readonly code: string;
  /** Contains no value of the file that could be a card number. */
  readonly reason: string;

  constructor(code: string, reason: string) {
    this.code = code;
    this.reason = reason;
  }
}

/** The elements of a transaction, an adjustment and a card acceptor that are read. */
export const read_names = {
  FinancialTransaction_5000: [
    'ProcessorTransactionId',
    'MasterCardFinancialTransactionId',
    'AcquirerReferenceData',
    'PostingDate',
    'TransactionDate',
    'ApprovalCode',
    'BanknetReferenceNum',
    'DebitOrCreditIndicator',
    'PostedConversionRate',
    'CustomIdentifier',
    ...amount_names,
  ],
  FinancialAdjustmentRecord_5900: [
    'ProcessorTransactionId',
    'MasterCardFinancialTransactionId',
    'AcquirerReferenceData',
    'PostingDate',
    'TransactionDate',
    'DebitOrCreditIndicator',
    'PostedConversionRate',
    'CustomIdentifier',
    'AdjustmentDescription',
    ...amount_names,
  ],
  CardAcceptor_5001: ['AcquiringICA', 'CardAcceptorId', 'CardAcceptorName', 'CardAcceptorBusinessCode'],
} as const;

/**
 * The clearing of a transaction or an adjustment. `custom_identifier` finds the id of the card in a
 * CustomIdentifier: its first group.
 */
export function readTransaction(stated: Stated, custom_identifier: RegExp): StatedClearing | TransactionProblem {
  const { values } = stated;
  const value = (name: string): string | null => values.get(name) || null;
  const direction = directionOf(value('DebitOrCreditIndicator'));
  if (direction === null) {
    return new TransactionProblem('direction_malformed', 'DebitOrCreditIndicator must be D or C');
  }
  const id =
    value('MasterCardFinancialTransactionId') ?? value('ProcessorTransactionId') ?? stated.entity_transaction_id;
  if (id === null) {
    return new TransactionProblem(
      'transaction_id_missing',
      'MasterCardFinancialTransactionId or ProcessorTransactionId is required',
    );
  }
  const card = cardOf(stated, custom_identifier);
  if (card instanceof TransactionProblem) return card;
  const amounts = amountsOf(stated, direction);
  if (amounts instanceof TransactionProblem) return amounts;
  const settlement_date = value('PostingDate');
  if (settlement_date === null || !isDay(settlement_date)) {
    return new TransactionProblem('date_malformed', 'PostingDate must be a date, as YYYY-MM-DD');
  }
  const authorization_date = value('TransactionDate');
  if (authorization_date !== null && !isDay(authorization_date)) {
    return new TransactionProblem('date_malformed', 'TransactionDate must be a date, as YYYY-MM-DD');
  }
  const exchange_rate = value('PostedConversionRate');
  if (exchange_rate !== null && !/^\d{1,12}(?:\.\d{1,12})?$/.test(exchange_rate)) {
    return new TransactionProblem('rate_malformed', 'PostedConversionRate must be a decimal number');
  }
  return {
    input: {
      ...card.named,
      network_financial_transaction_id: id,
      ...amounts,
      clearing_type: direction === 'D' ? 'DEBIT' : 'CREDIT',
      settlement_date,
      authorization_date,
      acquirer_ica: value('AcquiringICA'),
      acquirer_reference_data: value('AcquirerReferenceData'),
      approval_code: notZeros(value('ApprovalCode')),
      net_reference_number: netReferenceOf(notZeros(value('BanknetReferenceNum'))),
      exchange_rate,
      mcc: value('CardAcceptorBusinessCode'),
      merchant_id: value('CardAcceptorId'),
      merchant_name: value('CardAcceptorName') ?? value('AdjustmentDescription'),
    },
    last4: card.last4,
  };
}

/** What a transaction adds to the totals of the trailer. */
export interface Posted {
  readonly direction: 'C' | 'D' | null;
  /** The digits of the posted amount; null when they cannot be read. */
  readonly digits: bigint | null;
}

/**
 * The trailer sums the digits of the posted amounts, whatever their exponents and currencies: in
 * every public example all of them have one exponent, and the trailer states none. A record without
 * a posted amount counts with its billing amount.
 */
export function postedOf({ values, attributes }: Stated): Posted {
  const name = values.has('AmountInPostedCurrency') ? 'AmountInPostedCurrency' : 'AmountInBillingCurrency';
  const digits = values.get(name) ?? '';
  return {
    direction: directionOf(values.get('DebitOrCreditIndicator')) ?? directionOf(attributes.get(name)?.CurrencySign),
    digits: digits_form.test(digits) ? BigInt(digits) : null,
  };
}

const digits_form = /^\d{1,19}$/;

type Amounts = Pick<ClearingInput, 'billing_amount' | 'billing_currency' | 'merchant_amount' | 'merchant_currency'>;

function amountsOf(stated: Stated, direction: 'C' | 'D'): Amounts | TransactionProblem {
  const billed = amountOf(stated, 'AmountInBillingCurrency', direction);
  if (billed instanceof TransactionProblem) return billed;
  const posted = amountOf(stated, 'AmountInPostedCurrency', direction);
  if (posted instanceof TransactionProblem) return posted;
  const original = amountOf(stated, 'AmountInOriginalCurrency', direction);
  if (original instanceof TransactionProblem) return original;
  const billing = billed ?? posted;
  if (billing === null) {
    return new TransactionProblem('amount_missing', 'AmountInPostedCurrency is required');
  }
  return {
    billing_amount: billing.minor_units,
    billing_currency: billing.currency,
    merchant_amount: original?.minor_units ?? null,
    merchant_currency: original?.currency ?? null,
  };
}

interface Amount {
  readonly minor_units: number;
  readonly currency: string;
}

/** An amount in minor units of its currency; null when the record has none of the name. */
function amountOf(
  { values, attributes }: Stated,
  name: AmountName,
  direction: 'C' | 'D',
): Amount | TransactionProblem | null {
  const digits = values.get(name);
  if (digits === undefined) return null;
  const stated = attributes.get(name);
  const [number, exponent, sign] = [stated?.CurrencyCode, stated?.CurrencyExponent, stated?.CurrencySign];
  if (!digits_form.test(digits)) return new TransactionProblem('amount_malformed', `${name} must be 1 to 19 digits`);
  if (exponent === undefined || !/^\d$/.test(exponent)) {
    return new TransactionProblem('amount_malformed', `CurrencyExponent of ${name} must be one digit`);
  }
  if (sign !== undefined && directionOf(sign) !== direction) {
    return new TransactionProblem(
      'sign_contradicts',
      `CurrencySign of ${name} must be D or C, the same as DebitOrCreditIndicator`,
    );
  }
  const currency = currencyOfNumber(number ?? '');
  if (currency === null) {
    return new TransactionProblem('currency_unknown', `CurrencyCode of ${name} must be a number of ISO 4217`);
  }
  const amount = Number(digits);
  const minor_units = Number.isSafeInteger(amount) ? toMinorUnits(amount, Number(exponent), currency) : null;
  if (minor_units === null) {
    return new TransactionProblem(
      'amount_malformed',
      `${name} must be a whole number of minor units of ${currency.code}, and not above the largest amount`,
    );
  }
  return { minor_units, currency: currency.code };
}

interface StatedCard {
  readonly named: Pick<ClearingInput, 'card_number' | 'vcn_id'>;
  readonly last4: string | null;
}

/** The card: an account number that is not masked, else the id in CustomIdentifier. */
function cardOf({ account_number, values }: Stated, custom_identifier: RegExp): StatedCard | TransactionProblem {
  if (account_number !== null && /^\d{12,19}$/.test(account_number)) {
    return { named: { card_number: account_number }, last4: null };
  }
  const id = custom_identifier.exec(values.get('CustomIdentifier') ?? '')?.[1];
  if (id === undefined || !/^\d{1,16}$/.test(id)) {
    return new TransactionProblem(
      'card_missing',
      'the account number is masked, and CustomIdentifier does not have the id of a card',
    );
  }
  const last4 = /\d{4}$/.exec(account_number ?? '')?.[0] ?? null;
  return { named: { vcn_id: id.replace(/^0+(?=\d)/, '') }, last4 };
}

function directionOf(text: string | null | undefined): 'C' | 'D' | null {
  return text === 'C' || text === 'D' ? text : null;
}

/** The network sends zeros for no code. */
function notZeros(text: string | null): string | null {
  return text === null || /^0*$/.test(text) ? null : text;
}

/** The six characters of the network in their place among the 13, with blanks for those unknown. */
function netReferenceOf(banknet_reference: string | null): string | null {
  return banknet_reference?.length === 6 ? `   ${banknet_reference}    ` : banknet_reference;
}
