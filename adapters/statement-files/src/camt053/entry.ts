import { acquirerReferenceIn, type BookingSign, isAcquirerReference, type ReportedLine } from '@tallystick/accounts';
import { isCurrency, isDay, type Money, money } from '@tallystick/kernel';
import { minorUnitsOf } from '../decimal-amounts.ts';
import { oneLine, referenceOf, text_length_max } from '../stated-text.ts';
import { type BankTransactionCode, baiCodeOf } from './bank-transaction-code.ts';

/** The most transactions of one entry that become lines of their own. */
export const details_max = 10_000;

export class EntryProblem {
  readonly code: string;
  readonly message: string;

  constructor(code: string, message: string) {
    this.code = code;
    this.message = message;
  }
}

/** The elements of an entry or of one of its transactions, by their paths, as they come. */
export class Collected {
  readonly #values = new Map<string, string>();
  readonly #remittance: string[] = [];
  #remittance_length = 0;
  #reference_type = '';
  #stated_reference: string | null = null;

  /** Keeps the first value of each path. */
  set(path: string, value: string): void {
    if (!this.#values.has(path)) this.#values.set(path, value);
  }

  get(path: string): string {
    return this.#values.get(path) ?? '';
  }

  has(path: string): boolean {
    return this.#values.has(path);
  }

  addRemittance(text: string): void {
    if (text === '' || this.#remittance_length > text_length_max) return;
    this.#remittance_length += text.length;
    this.#remittance.push(text);
  }

  get remittance(): readonly string[] {
    return this.#remittance;
  }

  /** Adds the type or the value of a proprietary reference. A type comes before its value. */
  addReference(part: 'type' | 'value', text: string): void {
    if (part === 'type') this.#reference_type = text;
    else if (this.#reference_type === 'ARD' && isAcquirerReference(text)) this.#stated_reference ??= text;
  }

  /** The first acquirer reference of the type `ARD`; null when there is none. */
  get stated_reference(): string | null {
    return this.#stated_reference;
  }

  get bank_transaction_code(): BankTransactionCode {
    return {
      domain: this.get('BkTxCd/Domn/Cd'),
      family: this.get('BkTxCd/Domn/Fmly/Cd'),
      sub_family: this.get('BkTxCd/Domn/Fmly/SubFmlyCd'),
      proprietary: this.get('BkTxCd/Prtry/Cd'),
      issuer: this.get('BkTxCd/Prtry/Issr'),
    };
  }
}

export interface CollectedEntry {
  readonly own: Collected;
  readonly details: readonly Collected[];
  /** Also of those that are not in `details`. */
  readonly details_count: number;
}

/** An amount with its direction, of an entry or a balance. */
export interface DirectedAmount {
  readonly sign: BookingSign;
  /** Without a sign. */
  readonly amount: Money;
}

/**
 * Reads an amount in the currency of its statement, and its direction. `what`: whose they are. An
 * amount that states no currency is in this one.
 */
export function readAmount(stated: Collected, what: string, currency: string): DirectedAmount | EntryProblem {
  const stated_currency = stated.get('Amt@Ccy') || currency;
  if (!isCurrency(stated_currency)) {
    return new EntryProblem('currency_unknown', `${what} must be in a currency of ISO 4217, not "${stated_currency}"`);
  }
  if (stated_currency !== currency) {
    return new EntryProblem('currency_differs', `${what} is in ${stated_currency}, and its statement in ${currency}`);
  }
  const text = stated.get('Amt');
  const amount = minorUnitsOf(text, currency);
  if (amount === null) {
    const message = `Amt of ${what} must be a decimal number in ${currency}, as 12.50, not "${text}"`;
    return new EntryProblem('amount_malformed', message);
  }
  const direction = stated.get('CdtDbtInd');
  const sign = signOf(direction);
  if (sign !== null) return { amount, sign };
  const missing = `the direction of ${what} is missing: CdtDbtInd must be CRDT or DBIT`;
  if (direction === '') return new EntryProblem('direction_missing', missing);
  return new EntryProblem('direction_malformed', `CdtDbtInd of ${what} must be CRDT or DBIT, not "${direction}"`);
}

/** The status of an entry. One that states none is booked, as statements are of booked entries. */
export function statusOf(own: Collected): string {
  return (own.get('Sts/Cd') || own.get('Sts') || own.get('Sts/Prtry') || 'BOOK').toUpperCase();
}

/** A line of an entry, with the names of what it states and cannot be read. */
export interface ReadLine {
  readonly line: ReportedLine;
  readonly unread: readonly string[];
}

/**
 * The lines of a booked entry: one for each of its transactions when all of them have an amount and
 * the amounts add up to that of the entry; else one for the entry. `CdtDbtInd` is the direction of
 * the booking itself, also of a reversal.
 */
export function readLines(
  { own, details, details_count }: CollectedEntry,
  { sign, amount }: DirectedAmount,
  statement: { readonly currency: string; readonly as_of: string },
): readonly ReadLine[] | EntryProblem {
  const booking_date = dayIn(own, 'BookgDt') ?? statement.as_of;
  if (!isDay(booking_date)) {
    return new EntryProblem('date_malformed', `BookgDt must be a date, as 2026-03-01, not "${booking_date}"`);
  }
  const stated_value_date = dayIn(own, 'ValDt') ?? booking_date;
  const unread = isDay(stated_value_date) ? [] : ['value_date'];
  const value_date = unread.length === 0 ? stated_value_date : booking_date;
  const signed = signedAmount(amount, sign);
  const dates = { booking_date, value_date };
  const parts = details.length === details_count ? partsOf(details, sign, signed, statement.currency) : null;
  if (parts === null || parts.length < 2) {
    const only = details_count === 1 ? details[0] : undefined;
    return [{ line: { ...dates, amount: signed, ...describe(own, only, sign) }, unread }];
  }
  const references = referencesOf(own, details);
  return parts.map((part, place) => {
    const detail = details[place]!;
    const text = oneLine(textsOf(detail));
    const line = {
      ...dates,
      bank_reference: references[place]!,
      amount: part.amount,
      bai_code: baiCodeOf([detail.bank_transaction_code, own.bank_transaction_code], part.sign),
      text: text === '' ? oneLine([own.get('AddtlNtryInf')]) : text,
      acquirer_reference: detail.stated_reference ?? firstReferenceIn(textsOf(detail)),
    };
    return { line, unread };
  });
}

/**
 * Describes the line of a whole entry by the entry itself, and by its transaction if it has exactly
 * one.
 */
function describe(
  own: Collected,
  only: Collected | undefined,
  sign: BookingSign,
): Pick<ReportedLine, 'bank_reference' | 'bai_code' | 'text' | 'acquirer_reference'> {
  const texts = [...(only === undefined ? [] : textsOf(only)), own.get('AddtlNtryInf')];
  const codes = [...(only === undefined ? [] : [only.bank_transaction_code]), own.bank_transaction_code];
  return {
    bank_reference: referenceOf(own.get('AcctSvcrRef')) ?? referenceOf(only?.get('Refs/AcctSvcrRef') ?? ''),
    bai_code: baiCodeOf(codes, sign),
    text: oneLine(texts),
    acquirer_reference: only?.stated_reference ?? firstReferenceIn(texts),
  };
}

/** The signed amounts of the transactions; null unless all have one and they make the whole. */
function partsOf(
  details: readonly Collected[],
  entry_sign: BookingSign,
  whole: Money,
  currency: string,
): readonly { readonly amount: Money; readonly sign: BookingSign }[] | null {
  const parts: { amount: Money; sign: BookingSign }[] = [];
  let sum = 0;
  for (const detail of details) {
    const path = detail.has('Amt') ? 'Amt' : 'AmtDtls/TxAmt/Amt';
    const is_alike = (detail.get(`${path}@Ccy`) || currency) === currency;
    const amount = is_alike ? minorUnitsOf(detail.get(path), currency) : null;
    const sign = detail.has('CdtDbtInd') ? signOf(detail.get('CdtDbtInd')) : entry_sign;
    if (amount === null || sign === null) return null;
    const signed = signedAmount(amount, sign);
    parts.push({ amount: signed, sign });
    sum += signed;
  }
  return sum === whole ? parts : null;
}

/**
 * A reference for each transaction: its own when no other has it, else that of the entry, numbered.
 */
function referencesOf(own: Collected, details: readonly Collected[]): readonly (string | null)[] {
  const stated = details.map((detail) => referenceOf(detail.get('Refs/AcctSvcrRef')));
  const of_entry = referenceOf(own.get('AcctSvcrRef'));
  const counts = new Map<string | null, number>([[of_entry, 1]]);
  for (const reference of stated) counts.set(reference, (counts.get(reference) ?? 0) + 1);
  return stated.map((reference, place) => {
    if (reference !== null && counts.get(reference) === 1) return reference;
    const base = reference ?? of_entry;
    return base === null ? null : `${base}/${place + 1}`;
  });
}

function textsOf(detail: Collected): readonly string[] {
  return [detail.remittance.join(' '), detail.get('AddtlTxInf')];
}

function firstReferenceIn(texts: readonly string[]): string | null {
  for (const text of texts) {
    const found = acquirerReferenceIn(text);
    if (found !== null) return found;
  }
  return null;
}

/** The date at the path, of a date or of a time in its own zone; null when there is none. */
export function dayIn(collected: Collected, path: string): string | null {
  return dayOf(collected.get(`${path}/Dt`) || collected.get(`${path}/DtTm`));
}

/**
 * The date, YYYY-MM-DD, of a date or a time in its own zone; null when there is none. A text that is
 * neither is returned as it is.
 */
export function dayOf(text: string): string | null {
  const found = /^(\d{4})-?(\d\d)-?(\d\d)(?:[TZ+ -].*)?$/.exec(text);
  return text === '' ? null : found === null ? text : found.slice(1, 4).join('-');
}

/** `CRDT` or `DBIT`; null for anything else. */
export function signOf(text: string): BookingSign | null {
  const code = text.toUpperCase();
  return code === 'CRDT' ? 'credit' : code === 'DBIT' ? 'debit' : null;
}

/** The amount as it moves the balance. */
export function signedAmount(amount: Money, sign: BookingSign): Money {
  return money(sign === 'debit' ? -amount : amount);
}
