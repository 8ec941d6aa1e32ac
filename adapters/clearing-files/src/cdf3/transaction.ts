import { type ClearingInput, namesNothing } from '@tallystick/cards';
import type { FileClearing } from '@tallystick/imports';
import { isDay, showValue } from '@tallystick/kernel';
import { Additions, notZeros } from '../additions.ts';
import { cardNumberOf } from '../card-number.ts';
import { currencyOf, toMinorUnits } from '../currencies.ts';

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

export type StatedTransaction = Pick<FileClearing, 'input' | 'last4' | 'unread'>;

export class TransactionProblem {
  readonly code: string;
  /** Contains no card number. */
  readonly reason: string;

  constructor(code: string, reason: string) {
    this.code = code;
    this.reason = reason;
  }
}

/** The element with the currency of an amount, for one without CurrencyCode. */
const currency_names: Readonly<Record<AmountName, string>> = {
  AmountInOriginalCurrency: 'OriginalCurrencyCode',
  AmountInPostedCurrency: 'PostedCurrencyCode',
  AmountInBillingCurrency: 'BillingCurrencyCode',
};

/** The elements that decide whether a transaction can be applied, and to which card. */
const posted_names = [
  'DebitOrCreditIndicator',
  'PostingDate',
  'CustomIdentifier',
  'MasterCardFinancialTransactionId',
  'ProcessorTransactionId',
  'AmountInPostedCurrency',
  'PostedCurrencyCode',
  'AmountInBillingCurrency',
  'BillingCurrencyCode',
] as const;

const added_names = [
  'TransactionDate',
  'ApprovalCode',
  'BanknetReferenceNum',
  'AcquirerReferenceData',
  'AmountInOriginalCurrency',
  'OriginalCurrencyCode',
  'PostedConversionRate',
  'AdjustmentDescription',
] as const;

const acceptor_names = ['AcquiringICA', 'CardAcceptorId', 'CardAcceptorName', 'CardAcceptorBusinessCode'] as const;

/** The elements that keep no posted money from its card when they cannot be read. */
export const addition_names: ReadonlySet<string> = new Set([...added_names, ...acceptor_names]);

/** The elements of a transaction, an adjustment and a card acceptor that are read. */
export const read_names = {
  FinancialTransaction_5000: [...posted_names, ...added_names],
  FinancialAdjustmentRecord_5900: [...posted_names, ...added_names],
  CardAcceptor_5001: acceptor_names,
} as const;

/** Stands for an element that cannot be read. No text of XML has this character. */
export const unreadable = '\0';

/**
 * The clearing of a transaction or an adjustment. Elements may be absent or empty.
 * `custom_identifier` finds the id of the card in a CustomIdentifier: its first group.
 */
export function readTransaction(stated: Stated, custom_identifier: RegExp): StatedTransaction | TransactionProblem {
  const value = (name: string): string | null => stated.values.get(name) || null;
  const direction = directionOf(value('DebitOrCreditIndicator'));
  if (direction === null) return describeDirection(value('DebitOrCreditIndicator'));
  const card = cardOf(stated, custom_identifier);
  if (card instanceof TransactionProblem) return card;
  const billing = billedOf(stated, direction);
  if (billing instanceof TransactionProblem) return billing;
  const posting_date = value('PostingDate') ?? '';
  const settlement_date = dayOf(posting_date);
  if (settlement_date === null) {
    const reason = `PostingDate must be a date, as YYYY-MM-DD, not ${showValue(posting_date)}`;
    return new TransactionProblem('date_malformed', reason);
  }
  const additions = new Additions();
  const original = amountOf(stated, 'AmountInOriginalCurrency', direction);
  if (original instanceof TransactionProblem) additions.omit('merchant_amount');
  const merchant = original instanceof TransactionProblem ? null : original;
  const text = (field: string, name: string): string | null => additions.text(field, value(name));
  return {
    input: {
      ...card.named,
      network_financial_transaction_id: transactionIdOf(stated),
      billing_amount: billing.minor_units,
      billing_currency: billing.currency,
      merchant_amount: merchant?.minor_units ?? null,
      merchant_currency: merchant?.currency ?? null,
      clearing_type: direction === 'D' ? 'DEBIT' : 'CREDIT',
      settlement_date,
      authorization_date: additions.read('authorization_date', notZeros(value('TransactionDate')), dayOf),
      acquirer_ica: text('acquirer_ica', 'AcquiringICA'),
      acquirer_reference_data: text('acquirer_reference_data', 'AcquirerReferenceData'),
      approval_code: additions.approvalCode(value('ApprovalCode')),
      net_reference_number: netReferenceOf(notZeros(text('net_reference_number', 'BanknetReferenceNum'))),
      exchange_rate: additions.exchangeRate(value('PostedConversionRate')),
      mcc: additions.mcc(value('CardAcceptorBusinessCode')),
      merchant_id: text('merchant_id', 'CardAcceptorId'),
      merchant_name: text('merchant_name', 'CardAcceptorName') ?? text('merchant_name', 'AdjustmentDescription'),
    },
    last4: card.last4,
    ...additions.omissions,
  };
}

function describeDirection(stated: string | null): TransactionProblem {
  return stated === null
    ? new TransactionProblem(
        'direction_missing',
        'the direction is missing: DebitOrCreditIndicator must be D for a debit or C for a credit',
      )
    : new TransactionProblem('direction_malformed', `DebitOrCreditIndicator must be D or C, not ${showValue(stated)}`);
}

/** The first of the ids that names something. */
function transactionIdOf({ values, entity_transaction_id }: Stated): string | null {
  const ids = [
    values.get('MasterCardFinancialTransactionId'),
    values.get('ProcessorTransactionId'),
    entity_transaction_id,
  ];
  return ids.find((id) => !namesNothing(id ?? '')) ?? null;
}

/** A date, also without its hyphens, or with a time or a zone. */
function dayOf(text: string): string | null {
  const found = /^(\d{4})-?(\d\d)-?(\d\d)(?:[T Z+-].*)?$/.exec(text);
  const day = found === null ? '' : found.slice(1).join('-');
  return isDay(day) ? day : null;
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
  const name = values.get('AmountInPostedCurrency') ? 'AmountInPostedCurrency' : 'AmountInBillingCurrency';
  const digits = values.get(name) ?? '';
  return {
    direction:
      directionOf(values.get('DebitOrCreditIndicator')) ?? directionOf(attributes.get(name)?.CurrencySign?.trim()),
    digits: digits_form.test(digits) ? BigInt(digits) : null,
  };
}

const digits_form = /^\d{1,30}$/;

/** What the card is billed. */
function billedOf(stated: Stated, direction: 'C' | 'D'): Amount | TransactionProblem {
  const billed = amountOf(stated, 'AmountInBillingCurrency', direction);
  if (billed instanceof TransactionProblem) return billed;
  const posted = amountOf(stated, 'AmountInPostedCurrency', direction);
  if (posted instanceof TransactionProblem) return posted;
  return billed ?? posted ?? new TransactionProblem('amount_missing', 'AmountInPostedCurrency is required');
}

interface Amount {
  readonly minor_units: number;
  readonly currency: string;
}

/** An amount in minor units of its currency; null when it is absent or empty. */
function amountOf(
  { values, attributes }: Stated,
  name: AmountName,
  direction: 'C' | 'D',
): Amount | TransactionProblem | null {
  const digits = values.get(name);
  if (!digits) return null;
  const attribute = (its: string): string => attributes.get(name)?.[its]?.trim() ?? '';
  const [exponent, sign] = [attribute('CurrencyExponent'), attribute('CurrencySign')];
  if (!digits_form.test(digits)) {
    return new TransactionProblem('amount_malformed', `${name} must be 1 to 30 digits, not ${showValue(digits)}`);
  }
  if (!/^0*\d$/.test(exponent)) {
    return new TransactionProblem(
      'amount_malformed',
      `CurrencyExponent of ${name} must be one digit, not ${showValue(exponent)}`,
    );
  }
  if (sign !== '' && directionOf(sign) !== direction) {
    return new TransactionProblem(
      'sign_contradicts',
      `CurrencySign of ${name} must be ${direction}, as DebitOrCreditIndicator, not ${showValue(sign)}`,
    );
  }
  const code = attribute('CurrencyCode') || (values.get(currency_names[name]) ?? '');
  const currency = currencyOf(code);
  if (currency === null) {
    const reason = `CurrencyCode of ${name} must be a currency of ISO 4217, not ${showValue(code)}`;
    return new TransactionProblem('currency_unknown', reason);
  }
  const amount = Number(digits);
  const minor_units = toMinorUnits(amount, Number(exponent), currency);
  if (minor_units === null) {
    return new TransactionProblem(
      'amount_malformed',
      `${name} must be a whole number of minor units of ${currency.code}, and not above the largest amount: it is ${showValue(digits)} with ${Number(exponent)} decimals`,
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
  const card_number = cardNumberOf(account_number ?? '');
  if (card_number !== null) return { named: { card_number }, last4: null };
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

/** The six characters of the network in their place among the 13, with blanks for those unknown. */
function netReferenceOf(banknet_reference: string | null): string | null {
  return banknet_reference?.length === 6 ? `   ${banknet_reference}    ` : banknet_reference;
}
