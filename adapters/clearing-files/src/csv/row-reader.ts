import { hash } from 'node:crypto';
import type { ClearingInput } from '@tallystick/cards';
import type { BadRecord, FileClearing, RecordPlace } from '@tallystick/imports';
import { badRecord } from '../bad-record.ts';
import { type Currency, currencyOfCode, currencyOfNumber, toMinorUnits } from '../currencies.ts';
import { readDay } from './dates.ts';
import type { Header } from './header.ts';
import { type CsvField, type CsvProfile, csv_fields } from './profile.ts';
import type { Row } from './rows.ts';

/** Sums of decimal amounts are kept with so many decimals. */
export const sum_decimals = 9;

const decimals_max = sum_decimals;

/** Why a row is quarantined. The reason names the column, and contains no card number. */
class MalformedRow extends Error {
  readonly code: string;

  constructor(code: string, reason: string) {
    super(reason);
    this.name = 'MalformedRow';
    this.code = code;
  }
}

export function isTrailer(header: Header, row: Row): boolean {
  const { trailer } = header.profile;
  return trailer !== undefined && header.column(row, trailer.column) === trailer.value;
}

/**
 * The billing amount of a row as an integer, with the decimals of `sum_decimals` when amounts are
 * decimal. Null when it cannot be read.
 */
export function summandOf(header: Header, row: Row): bigint | null {
  return toSummand(header.field(row, 'billing_amount'), header.profile);
}

/** A total or an amount as an integer; null when it is none. */
export function toSummand(text: string | null, { amounts, decimal_separator }: CsvProfile): bigint | null {
  if (text === null || text.length > 32) return null;
  if (amounts === 'minor_units') return /^\d+$/.test(text) ? BigInt(text) : null;
  const found = decimalParts(text, decimal_separator);
  return found === null ? null : BigInt(found.whole + found.fraction.padEnd(sum_decimals, '0'));
}

/** A sum of summands as the file writes amounts, without the zeros at its end. */
export function showSummand(sum: bigint, { amounts, decimal_separator }: CsvProfile): string {
  if (amounts === 'minor_units') return String(sum);
  const unit = 10n ** BigInt(sum_decimals);
  const fraction = String(sum % unit)
    .padStart(sum_decimals, '0')
    .replace(/0+$/, '');
  return `${sum / unit}${fraction === '' ? '' : decimal_separator}${fraction}`;
}

export function readRow(header: Header, row: Row, place: RecordPlace): FileClearing | BadRecord {
  try {
    if (row.cells.length !== header.row.cells.length) {
      throw new MalformedRow(
        'columns_differ',
        `the row has ${row.cells.length} columns, but the header has ${header.row.cells.length}`,
      );
    }
    refuseOtherEncodings(row);
    return clearingOf(header, row, place);
  } catch (error) {
    if (!(error instanceof MalformedRow)) throw error;
    const { raw } = header.row;
    return { ...badRecord(error, place, Buffer.concat([raw, row.raw])), record_from: raw.length };
  }
}

const replacement_character = '\ufffd';
const strict_utf8 = new TextDecoder('utf-8', { fatal: true });

function refuseOtherEncodings(row: Row): void {
  if (!row.cells.some((cell) => cell.includes(replacement_character))) return;
  try {
    strict_utf8.decode(row.raw);
  } catch {
    throw new MalformedRow('encoding_invalid', 'the row is not UTF-8');
  }
}

function clearingOf(header: Header, row: Row, { ordinal, offset }: RecordPlace): FileClearing {
  const sent_id = header.field(row, 'network_financial_transaction_id');
  const is_synthetic = sent_id === null && header.profile.id_columns !== undefined;
  const merchant_currency = header.field(row, 'merchant_currency');
  const merchant_amount = header.field(row, 'merchant_amount');
  const { card_number, last4 } = cardOf(header, row);
  const texts = Object.fromEntries(csv_fields.map((field) => [field, header.field(row, field)]));
  const input: ClearingInput = {
    ...texts,
    network_financial_transaction_id: is_synthetic
      ? syntheticId(header, row)
      : required(header, 'network_financial_transaction_id', sent_id),
    card_number,
    billing_amount: amountOf(header, row, 'billing_amount', 'billing_currency'),
    billing_currency: currencyOf(header, row, 'billing_currency').code,
    clearing_type: required(header, 'clearing_type', header.field(row, 'clearing_type')),
    settlement_date: required(header, 'settlement_date', dateOf(header, row, 'settlement_date')),
    authorization_date: dateOf(header, row, 'authorization_date'),
    partial: flagOf(header, row, 'partial'),
    merchant_amount: merchant_amount === null ? null : amountOf(header, row, 'merchant_amount', 'merchant_currency'),
    merchant_currency: merchant_currency === null ? null : currencyOf(header, row, 'merchant_currency').code,
  };
  return { kind: 'clearing', ordinal, offset, input, synthetic_id: is_synthetic, last4 };
}

/** A masked number is no number: it is compared with the card that `vcn_id` names. */
function cardOf(header: Header, row: Row): { readonly card_number: string | null; readonly last4: string | null } {
  const card_number = header.field(row, 'card_number');
  const vcn_id = header.field(row, 'vcn_id');
  if (vcn_id !== null && !/^\d{1,16}$/.test(vcn_id)) {
    throw new MalformedRow('card_malformed', `${header.nameOf('vcn_id')} is no id of a card`);
  }
  const last4 = /^\d{0,6}[*xX]+(\d{4})$/.exec(card_number ?? '')?.[1] ?? null;
  if (last4 !== null) {
    if (vcn_id !== null) return { card_number: null, last4 };
    throw new MalformedRow(
      'card_missing',
      `${header.nameOf('card_number')} is masked, and there is no vcn_id beside it`,
    );
  }
  if (card_number !== null && !/^\d{12,19}$/.test(card_number)) {
    throw new MalformedRow('card_number_malformed', `${header.nameOf('card_number')} is not 12 to 19 digits`);
  }
  if (card_number === null && vcn_id === null) {
    throw new MalformedRow('card_missing', 'neither card_number nor vcn_id is there');
  }
  return { card_number, last4: null };
}

/** Of the values of the columns that identify a clearing, with the name of the profile. */
function syntheticId(header: Header, row: Row): string {
  const { name, id_columns = [] } = header.profile;
  const values = id_columns.map((column) => header.column(row, column));
  if (values.every((value) => value === null)) {
    throw new MalformedRow('field_missing', `the columns that identify a clearing are empty: ${id_columns.join(', ')}`);
  }
  return hash('sha256', JSON.stringify([name, ...values]), 'hex');
}

function required(header: Header, field: CsvField, text: string | null): string {
  if (text === null) throw new MalformedRow('field_missing', `${header.nameOf(field)} is empty`);
  return text;
}

function currencyOf(header: Header, row: Row, field: CsvField): Currency {
  const text = required(header, field, header.field(row, field));
  const currency = currencyOfCode(text) ?? currencyOfNumber(text);
  if (currency === null)
    throw new MalformedRow('currency_unknown', `${header.nameOf(field)} is no currency of ISO 4217`);
  return currency;
}

/** In minor units. */
function amountOf(header: Header, row: Row, field: CsvField, currency_field: CsvField): number {
  const text = required(header, field, header.field(row, field));
  const currency = currencyOf(header, row, currency_field);
  const { amounts, decimal_separator } = header.profile;
  const parts =
    amounts === 'decimal'
      ? decimalParts(text, decimal_separator)
      : /^\d{1,16}$/.test(text)
        ? { whole: text, fraction: '' }
        : null;
  if (parts === null) {
    throw new MalformedRow(
      'amount_malformed',
      `${header.nameOf(field)} is no ${amounts === 'decimal' ? 'decimal number' : 'whole number of minor units'}`,
    );
  }
  const decimals = amounts === 'decimal' ? parts.fraction.length : currency.decimals;
  const minor_units = toMinorUnits(Number(parts.whole + parts.fraction), decimals, currency);
  if (minor_units === null) {
    throw new MalformedRow(
      'amount_inexact',
      `${header.nameOf(field)} is no whole number of minor units of ${currency.code} that the service accepts`,
    );
  }
  return minor_units;
}

function decimalParts(text: string, separator: string): { readonly whole: string; readonly fraction: string } | null {
  const [whole, fraction, ...others] = text.split(separator);
  const is_number =
    others.length === 0 &&
    /^\d{1,16}$/.test(whole!) &&
    (fraction === undefined || (/^\d+$/.test(fraction) && fraction.length <= decimals_max));
  return is_number ? { whole: whole!, fraction: fraction ?? '' } : null;
}

function dateOf(header: Header, row: Row, field: CsvField): string | null {
  const text = header.field(row, field);
  if (text === null) return null;
  const date = readDay(text, header.profile.dates);
  if (date === null) {
    throw new MalformedRow(
      'date_invalid',
      `${header.nameOf(field)} is no date of the calendar, as ${header.profile.dates}`,
    );
  }
  return date;
}

function flagOf(header: Header, row: Row, field: CsvField): boolean | null {
  const text = header.field(row, field);
  if (text === null) return null;
  if (text !== 'true' && text !== 'false') {
    throw new MalformedRow('field_malformed', `${header.nameOf(field)} is neither true nor false`);
  }
  return text === 'true';
}
