import { hash } from 'node:crypto';
import { isRounded, namesNothing } from '@tallystick/cards';
import type { BadRecord, FileClearing, RecordPlace, StatedClearing } from '@tallystick/imports';
import { showValue } from '@tallystick/kernel';
import { Additions, notZeros } from '../additions.ts';
import { badRecord } from '../bad-record.ts';
import { cardNumberOf } from '../card-number.ts';
import { type Currency, currencyOf as findCurrency, toMinorUnits } from '../currencies.ts';
import { readDay } from './dates.ts';
import type { Header } from './header.ts';
import type { CsvField, CsvProfile } from './profile.ts';
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
    if (!header.fits(row)) {
      throw new MalformedRow(
        'columns_differ',
        `the row has ${row.cells.length} columns, but the header has ${header.width}`,
      );
    }
    return clearingOf(header, row, place);
  } catch (error) {
    if (!(error instanceof MalformedRow)) throw error;
    const { raw } = header.row;
    return { ...badRecord(error, place, Buffer.concat([raw, row.raw])), record_from: raw.length };
  }
}

function clearingOf(header: Header, row: Row, { ordinal, offset }: RecordPlace): FileClearing {
  const stated = (field: CsvField): string | null => header.field(row, field);
  const additions = new Additions();
  const text = (field: CsvField): string | null => additions.text(field, stated(field));
  const reference = (field: CsvField): string | null =>
    additions.read(field, text(field), (value) => (isRounded(value) ? null : value));
  const sent_id = stated('network_financial_transaction_id');
  const made_id = namesNothing(sent_id ?? '') ? syntheticId(header, row) : null;
  const { card_number, last4 } = cardOf(header, row, additions);
  const merchant = merchantOf(header, row, additions);
  const input: StatedClearing = {
    network_financial_transaction_id: made_id ?? sent_id,
    card_number,
    vcn_id: stated('vcn_id'),
    billing_amount: amountOf(header, row, 'billing_amount', 'billing_currency'),
    billing_currency: currencyOf(header, row, 'billing_currency').code,
    clearing_type: directionOf(header, row),
    settlement_date: required(header, 'settlement_date', dateOf(header, row, 'settlement_date')),
    cycle: stated('cycle'),
    partial: additions.read('partial', stated('partial'), flagOf),
    merchant_amount: merchant?.amount ?? null,
    merchant_currency: merchant?.currency ?? null,
    acquirer_reference_data: reference('acquirer_reference_data'),
    approval_code: additions.approvalCode(stated('approval_code')),
    net_reference_number: reference('net_reference_number'),
    merchant_id: reference('merchant_id'),
    mcc: additions.mcc(stated('mcc')),
    authorization_date: additions.read('authorization_date', notZeros(stated('authorization_date')), (date) =>
      readDay(date, header.profile.dates),
    ),
    acquirer_ica: reference('acquirer_ica'),
    exchange_rate: additions.exchangeRate(withPoint(stated('exchange_rate'), header.profile)),
    mcc_description: text('mcc_description'),
    merchant_name: text('merchant_name'),
  };
  return { kind: 'clearing', ordinal, offset, input, synthetic_id: made_id !== null, last4, ...additions.omissions };
}

/** A card number with digits that are masked. */
const mask = /^[\d*xX#\u2022 -]*[*xX#\u2022]{2}[\d*xX#\u2022 -]*$/;

/** A masked number is no number: it is compared with the card that `vcn_id` names. */
function cardOf(
  header: Header,
  row: Row,
  additions: Additions,
): { readonly card_number: string | null; readonly last4: string | null } {
  const stated = header.field(row, 'card_number');
  const vcn_id = header.field(row, 'vcn_id');
  if (vcn_id !== null && !/^\d{1,16}$/.test(vcn_id)) {
    throw new MalformedRow('card_malformed', `${header.nameOf('vcn_id')} is no id of a card`);
  }
  if (stated === null) {
    if (vcn_id !== null) return { card_number: null, last4: null };
    throw new MalformedRow('card_missing', 'neither card_number nor vcn_id is there');
  }
  const card_number = cardNumberOf(stated);
  if (card_number !== null) return { card_number, last4: null };
  const is_masked = mask.test(stated);
  if (vcn_id === null) {
    throw is_masked
      ? new MalformedRow('card_missing', `${header.nameOf('card_number')} is masked, and there is no vcn_id beside it`)
      : new MalformedRow('card_number_malformed', `${header.nameOf('card_number')} is not 12 to 19 digits`);
  }
  if (!is_masked) additions.omit('card_number');
  return { card_number: null, last4: is_masked ? (/\d{4}$/.exec(stated)?.[0] ?? null) : null };
}

function directionOf(header: Header, row: Row): string {
  const stated = header.field(row, 'clearing_type');
  if (stated === null) {
    const message = `the direction is missing: ${header.nameOf('clearing_type')} is empty`;
    throw new MalformedRow('direction_missing', message);
  }
  return stated.toUpperCase();
}

interface Merchant {
  readonly amount: number;
  readonly currency: string;
}

function merchantOf(header: Header, row: Row, additions: Additions): Merchant | null {
  return additions.read('merchant_amount', header.field(row, 'merchant_amount'), () => {
    try {
      const { code: currency } = currencyOf(header, row, 'merchant_currency');
      return { amount: amountOf(header, row, 'merchant_amount', 'merchant_currency'), currency };
    } catch (error) {
      if (!(error instanceof MalformedRow)) throw error;
      return null;
    }
  });
}

function flagOf(text: string): boolean | null {
  const flag = text.toLowerCase();
  return flag === 'true' || flag === 'false' ? flag === 'true' : null;
}

/**
 * Of the values of the columns that identify a clearing, with the name of the profile. Null: the
 * profile names no such columns, or they name nothing.
 */
function syntheticId(header: Header, row: Row): string | null {
  const { name, id_columns = [] } = header.profile;
  const values = id_columns.map((column) => header.column(row, column));
  if (values.every((value) => namesNothing(value ?? ''))) return null;
  return hash('sha256', JSON.stringify([name, ...values]), 'hex');
}

function required(header: Header, field: CsvField, text: string | null): string {
  if (text === null) throw new MalformedRow('field_missing', `${header.nameOf(field)} is empty`);
  return text;
}

function currencyOf(header: Header, row: Row, field: CsvField): Currency {
  const text = required(header, field, header.field(row, field));
  const currency = findCurrency(text);
  if (currency === null)
    throw new MalformedRow(
      'currency_unknown',
      `${header.nameOf(field)} is no currency of ISO 4217: ${showValue(text)}`,
    );
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
      `${header.nameOf(field)} is no ${amounts === 'decimal' ? 'decimal number' : 'whole number of minor units'}: ${showValue(text)}`,
    );
  }
  const decimals = amounts === 'decimal' ? parts.fraction.length : currency.decimals;
  const minor_units = toMinorUnits(Number(parts.whole + parts.fraction), decimals, currency);
  if (minor_units === null) {
    throw new MalformedRow(
      'amount_inexact',
      `${header.nameOf(field)} is no whole number of minor units of ${currency.code} that the service accepts: ${showValue(text)}`,
    );
  }
  return minor_units;
}

/**
 * A decimal number with the separator of the profile, or with the other one before one or two
 * digits. Three digits could be thousands.
 */
function decimalParts(text: string, separator: string): { readonly whole: string; readonly fraction: string } | null {
  const found = /^(\d{0,16})(?:([.,])(\d*))?$/.exec(text);
  if (found === null) return null;
  const [, whole = '', used = separator, fraction = ''] = found;
  const length_max = used === separator ? decimals_max : 2;
  const is_number = whole + fraction !== '' && fraction.length <= length_max;
  return is_number ? { whole: whole || '0', fraction } : null;
}

/** A decimal number with a point. */
function withPoint(text: string | null, { decimal_separator }: CsvProfile): string | null {
  return decimal_separator === ',' ? (text?.replace(',', '.') ?? null) : text;
}

function dateOf(header: Header, row: Row, field: CsvField): string | null {
  const text = header.field(row, field);
  if (text === null) return null;
  const date = readDay(text, header.profile.dates);
  if (date === null) {
    throw new MalformedRow(
      'date_invalid',
      `${header.nameOf(field)} is no date of the calendar, as ${header.profile.dates}: ${showValue(text)}`,
    );
  }
  return date;
}
