import { hash } from 'node:crypto';
import type { FileClearing, OtherRecord, RecordPlace } from '@tallystick/imports';
import { isDay } from '@tallystick/kernel';
import { Additions, notZeros } from '../additions.ts';
import { type Currency, currencyOfNumber, toMinorUnits } from '../currencies.ts';
import { type IpmMessage, MalformedRecord } from './message.ts';
import { numberOfText } from './private-data.ts';

const entries_max = 1_000;

/**
 * A function whose results are kept: files repeat few dates, rates and currencies in many records.
 * Bounded, because a file could have a new one in each record.
 */
export class Remembered<Key, Value> {
  readonly #find: (key: Key) => Value;
  readonly #known = new Map<Key, Value>();

  constructor(find: (key: Key) => Value) {
    this.#find = find;
  }

  get(key: Key): Value {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    if (this.#known.size >= entries_max) this.#known.clear();
    const found = this.#find(key);
    this.#known.set(key, found);
    return found;
  }
}

type Cycle = 'first_presentment' | 'second_presentment' | 'chargeback' | 'reversal';

/** The messages that are clearings: MTI and function code (DE24). */
const cycle_of: ReadonlyMap<number, Cycle> = new Map([
  [1240_200, 'first_presentment'],
  [1240_205, 'second_presentment'],
  [1240_282, 'second_presentment'],
  [1442_450, 'chargeback'],
  [1442_453, 'chargeback'],
]);

/** The position in the life of its transaction; null for a message that is no clearing. */
function cycleOf(mti: number, function_code: number): Cycle | null {
  return cycle_of.get(mti * 1_000 + function_code) ?? null;
}

/** The places of fields in elements, from 0: first character, and the one after the last. */
const places = {
  file_date: [3, 9],
  net_reference_number: [1, 14],
  business_date: [12, 18],
  settlement_date: [59, 65],
} as const;

/** DE25 of one of several clearings that is not the final one. */
const partial_reason = '1403';

/** Reads the messages of one file that are no header, trailer or totals. */
export class ClearingReader {
  readonly #file_id: string;
  readonly #file_date: string;

  /** `file_date` is the date of the file id, YYYY-MM-DD. */
  constructor(file_id: string, file_date: string) {
    this.#file_id = file_id;
    this.#file_date = file_date;
  }

  /** Throws `MalformedRecord` for a message that has the type of a clearing but cannot be one. */
  read(message: IpmMessage, { ordinal, offset }: RecordPlace): FileClearing | OtherRecord {
    const { mti } = message;
    if (mti === -1) throw new MalformedRecord('mti_malformed', 'the message type is not four digits');
    const cycle = cycleOf(mti, message.function_code);
    if (cycle === null) return { kind: 'other', ordinal, offset, type: message.type, raw: message.copy() };
    const message_number = message.number(71);
    if (message_number === null || message_number === -1) {
      throw new MalformedRecord('message_number_malformed', 'DE71 is missing or not eight digits');
    }
    const read = this.#read(message, cycle, message_number);
    return { kind: 'clearing', ordinal, offset, ...read, synthetic_id: true, last4: null };
  }

  #read(message: IpmMessage, cycle: Cycle, message_number: number): Pick<FileClearing, 'input' | 'unread'> {
    const additions = new Additions();
    const text = (field: string, element: number): string | null => additions.text(field, textOf(message, element));
    const billing = statesBilling(message) ? amountOf(message, 6, 51) : null;
    const merchant = billing === null ? amountOf(message, 4, 49) : merchantOf(message, additions);
    const { minor_units, currency } = (billing ?? merchant)!;
    const is_reversal = message.pds(25)?.startsWith('R') ?? false;
    const is_credit = isCredit(message) !== is_reversal;
    const input = {
      card_number: cardNumberOf(message),
      vcn_id: null,
      network_financial_transaction_id: this.#transactionId(message_number),
      billing_amount: minor_units,
      billing_currency: currency.code,
      clearing_type: is_credit ? 'CREDIT' : 'DEBIT',
      settlement_date: this.#settlementDateOf(message),
      partial: additions.read('partial', textOf(message, 25), isPartial) ?? false,
      cycle: is_reversal ? 'reversal' : cycle,
      merchant_amount: merchant?.minor_units ?? null,
      merchant_currency: merchant?.currency.code ?? null,
      acquirer_reference_data: text('acquirer_reference_data', 31),
      approval_code: additions.approvalCode(textOf(message, 38)),
      net_reference_number: additions.read('net_reference_number', textOf(message, 63), () =>
        netReferenceNumberOf(message),
      ),
      merchant_id: text('merchant_id', 42),
      mcc: additions.mcc(textOf(message, 26)),
      authorization_date: additions.read('authorization_date', notZeros(textOf(message, 12)), localDateOf),
      acquirer_ica: text('acquirer_ica', 94) ?? text('acquirer_ica', 32),
      exchange_rate: exchangeRateOf(message, additions),
      mcc_description: null,
      merchant_name: additions.text('merchant_name', merchantNameOf(message)),
    };
    return { input, ...additions.omissions };
  }

  /**
   * The network assigns no transaction id in this format: one is made of the file and the message.
   */
  #transactionId(message_number: number): string {
    return hash('sha256', this.#file_id + String(message_number).padStart(8, '0'), 'hex');
  }

  #settlementDateOf(message: IpmMessage): string {
    return (
      optionalDateOf(message, 159, places.settlement_date) ??
      optionalDateOf(message, 158, places.business_date) ??
      this.#file_date
    );
  }
}

/** Without a currency, zeros in DE6 state no amount. */
function statesBilling(message: IpmMessage): boolean {
  return [6, 51].some((element) => notZeros(message.text(element)) !== null);
}

/** The amount of the merchant beside a billing amount; null when it cannot be read. */
function merchantOf(message: IpmMessage, additions: Additions): Amount | null {
  try {
    return amountOf(message, 4, 49);
  } catch (error) {
    if (!(error instanceof MalformedRecord)) throw error;
    if (message.states(4)) additions.omit('merchant_amount');
    return null;
  }
}

interface Amount {
  readonly minor_units: number;
  readonly currency: Currency;
}

/** An amount and its currency, in minor units of the product. */
function amountOf(message: IpmMessage, amount_element: number, currency_element: number): Amount {
  const digits = digitsOf(message, amount_element);
  if (digits === null) throw new MalformedRecord('amount_missing', `DE${amount_element} is missing`);
  const number = message.number(currency_element);
  if (number === null) throw new MalformedRecord('currency_missing', `DE${currency_element} is missing`);
  const currency = number < 0 ? null : (currencies[number] ?? null);
  if (currency === null) {
    const text = quote(message.text(currency_element) ?? '');
    throw new MalformedRecord('currency_unknown', `DE${currency_element} is no currency of ISO 4217: ${text}`);
  }
  const minor_units = toMinorUnits(digits, statedDecimals(message).get(number) ?? currency.decimals, currency);
  if (minor_units === null) {
    throw new MalformedRecord(
      'amount_inexact',
      `DE${amount_element} is no whole number of minor units of ${currency.code} that the service accepts`,
    );
  }
  return { minor_units, currency };
}

const currencies = Array.from({ length: 1_000 }, (_, number) => currencyOfNumber(String(number).padStart(3, '0')));

type Decimals = ReadonlyMap<number, number>;

const no_decimals: Decimals = new Map();

/** The decimals of the currencies of this message, by number, as far as PDS0148 states them. */
function statedDecimals(message: IpmMessage): Decimals {
  const text = message.pds(148);
  return text === null ? no_decimals : decimals_of.get(text);
}

/** What PDS0148 states: groups of a currency (3 digits) and its decimals (1). */
const decimals_of = new Remembered<string, Decimals>((text) => {
  if (!/^(?:\d{4})+ *$/.test(text)) {
    throw new MalformedRecord(
      'decimals_malformed',
      'PDS0148 is not groups of a currency (3 digits) and its decimals (1)',
    );
  }
  return new Map(text.match(/\d{4}/g)!.map((group) => [Number(group.slice(0, 3)), Number(group[3])]));
});

function isCredit(message: IpmMessage): boolean {
  const code = message.text(3);
  if (code === null) throw new MalformedRecord('direction_missing', 'the direction is missing: DE3 is absent');
  if (!/^\d\d/.test(code)) throw new MalformedRecord('element_malformed', 'DE3 does not begin with two digits');
  return code.startsWith('20') || code.startsWith('28');
}

function cardNumberOf(message: IpmMessage): string {
  const number = message.text(2);
  if (number === null) throw new MalformedRecord('card_number_missing', 'DE2 is missing');
  if (number.length < 12 || message.number(2) === -1) {
    throw new MalformedRecord('card_number_malformed', 'DE2 is not 12 to 19 digits');
  }
  return number;
}

/** Null when DE63 ends before it. */
function netReferenceNumberOf(message: IpmMessage): string | null {
  const [start, end] = places.net_reference_number;
  const reference = message.text(63)!.slice(start, end);
  return reference.length < end - start || reference.trim() === '' ? null : reference;
}

/** The name in DE43: name, street and city, each before a backslash. */
function merchantNameOf(message: IpmMessage): string | null {
  const text = message.text(43);
  if (text === null) return null;
  const end = text.indexOf('\\');
  return presentText(end < 0 ? text : text.slice(0, end));
}

/** The date of DE12, YYMMDDhhmmss. */
function localDateOf(text: string): string | null {
  return /^\d{6}/.test(text) ? date_of.get(Number(text.slice(0, 6))) : null;
}

function isPartial(text: string): boolean | null {
  return /^\d{4}$/.test(text) ? text === partial_reason : null;
}

/** The exchange rate of DE10. A message without it, or with zeros, has one currency. */
function exchangeRateOf(message: IpmMessage, additions: Additions): string | null {
  const digits = message.number(10);
  if (digits === null || digits % 10_000_000 === 0 || textOf(message, 10) === null) return '1';
  if (digits !== -1) return rate_of.get(digits);
  additions.omit('exchange_rate');
  return null;
}

/** The number of decimals, then seven digits: `61083400` is 1.083400. Exact, with all decimals. */
const rate_of = new Remembered<number, string>((number) => {
  const text = String(number).padStart(8, '0');
  const decimals = Number(text[0]);
  const digits = text.slice(1).padStart(decimals + 1, '0');
  const point = digits.length - decimals;
  const whole = digits.slice(0, point).replace(/^0+(?=\d)/, '');
  return decimals === 0 ? whole : `${whole}.${digits.slice(point)}`;
});

/** A date in a PDS. Spaces or zeros stand for none, and so does a value that ends before it. */
function optionalDateOf(message: IpmMessage, tag: number, [start, end]: readonly [number, number]): string | null {
  const text = message.pds(tag);
  if (text === null || text.length < end) return null;
  const digits = numberOfText(text.slice(start, end));
  if (digits <= 0) return null;
  const date = date_of.get(digits);
  if (date === null) {
    throw new MalformedRecord('date_invalid', `PDS0${tag} has no date of the calendar, as YYMMDD, at offset ${start}`);
  }
  return date;
}

/** The number of an element of digits; null when it is absent. */
function digitsOf(message: IpmMessage, element: number): number | null {
  const number = message.number(element);
  if (number === -1) {
    throw new MalformedRecord(
      element === 4 || element === 6 ? 'amount_malformed' : 'element_malformed',
      `DE${element} has other characters than digits`,
    );
  }
  return number;
}

/** An element of text, without the spaces that fill it up; null when it is blank. */
function textOf(message: IpmMessage, element: number): string | null {
  const text = message.text(element);
  return text === null ? null : presentText(text);
}

function presentText(text: string): string | null {
  const filled = text.charCodeAt(text.length - 1) === 32 ? text.trimEnd() : text;
  return filled === '' ? null : filled;
}

/** The date of six digits, YYMMDD, of this century; null when the calendar has no such day. */
const date_of = new Remembered<number, string | null>((digits) => {
  const text = String(digits).padStart(6, '0');
  const date = `20${text.slice(0, 2)}-${text.slice(2, 4)}-${text.slice(4)}`;
  return isDay(date) ? date : null;
});

/** A short text in a message, without control characters. */
function quote(text: string): string {
  return JSON.stringify(text.replace(/[^\x20-\x7e]/g, '?'));
}

/** The parts of a file id (PDS0105): type (3), date (6), processor (11), sequence (5). */
export interface FileId {
  readonly text: string;
  /** Type and processor: files are numbered within them. */
  readonly series: string;
  readonly created_on: string;
  readonly sequence: number;
}

/** Null when the text is no file id. */
export function parseFileId(text: string | null): FileId | null {
  if (text === null || !/^[0-9A-Z]{3}\d{6}[0-9A-Z]{11}\d{5}$/.test(text)) return null;
  const created_on = date_of.get(Number(text.slice(...places.file_date)));
  if (created_on === null) return null;
  return { text, series: text.slice(0, 3) + text.slice(9, 20), created_on, sequence: Number(text.slice(20)) };
}
