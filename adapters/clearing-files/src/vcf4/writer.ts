import { chunkText, type FileContent, type WrittenClearing } from '@tallystick/imports';
import { currencyOfCode } from '../currencies.ts';
import { amount_decimals, column, columns_min } from './card-transaction.ts';

const company = '9000000001';
const version = '4.0'.padEnd(10);
/** The columns of frames. Those after the version are empty. */
const frame_columns = 16;
const no_date = '00000000';

/** No currency has this number. */
const malformed_currency = '00999';

/**
 * Writes a VCF4 file with one block of card transactions, in constant memory. Throws a `RangeError`
 * for a clearing that the format cannot express: it has no ids of cards, cycles or approval codes.
 * The transaction id is the reference number of its line, without a sequence number.
 */
export function writeVcf4(content: FileContent): Generator<Uint8Array> {
  return chunkText(lines(content));
}

function* lines({ sequence, created_on, clearings }: FileContent): Generator<string> {
  const frame = (code: string, type: number, count = 0, sum = 0n): string =>
    [
      code,
      company,
      padded(sequence, 5),
      dateOf(created_on),
      padded(type, 2),
      padded(count, 10),
      padded(sum, 16),
      version,
    ]
      .join('\t')
      .concat('\t'.repeat(frame_columns - 8));
  yield `${frame('6', 0)}\n${frame('8', 5)}\n`;
  let count = 0;
  let sum = 0n;
  for (const clearing of clearings) {
    count += 1;
    sum += BigInt(amountOf(clearing.input.billing_amount, clearing.input.billing_currency).digits);
    yield `${transaction(clearing)}\n`;
  }
  yield `${frame('9', 5, count, sum)}\n${frame('7', 0)}`;
}

function transaction({ input, malformed }: WrittenClearing): string {
  if (!input.card_number) throw new RangeError('a VCF4 file names a card by its number only');
  if ((input.cycle ?? 'first_presentment') !== 'first_presentment' || input.partial === true) {
    throw new RangeError('a VCF4 file has neither cycles nor partial clearings');
  }
  const billing = amountOf(input.billing_amount, input.billing_currency);
  const { merchant_amount, merchant_currency } = input;
  const source =
    typeof merchant_amount === 'number' && merchant_currency ? amountOf(merchant_amount, merchant_currency) : null;
  const columns: string[] = new Array(columns_min).fill('');
  columns[0] = '4';
  columns[column.account_number] = input.card_number;
  columns[column.posting_date] = dateOf(input.settlement_date);
  columns[column.transaction_reference_number] = input.network_financial_transaction_id;
  columns[column.acquiring_bin] = input.acquirer_ica ?? '';
  columns[column.card_acceptor] = input.merchant_id ?? '';
  columns[column.supplier_name] = input.merchant_name ?? '';
  columns[column.source_amount] = source?.digits ?? '';
  columns[column.billing_amount] = billing.digits;
  columns[column.source_currency] = source?.number ?? '';
  columns[column.merchant_category] = input.mcc ?? '';
  columns[column.transaction_type] = input.clearing_type === 'DEBIT' ? '10' : '11';
  columns[column.transaction_date] = input.authorization_date ? dateOf(input.authorization_date) : no_date;
  columns[column.billing_currency] = malformed === true ? malformed_currency : billing.number;
  if (columns.some((text) => /[\t\r\n]/.test(text))) {
    throw new RangeError('a text of a VCF4 file contains no tabs and line breaks');
  }
  return columns.join('\t');
}

function padded(digits: number | bigint | string, width: number): string {
  return String(digits).padStart(width, '0');
}

/** YYYY-MM-DD as MMDDYYYY. */
function dateOf(day: string): string {
  return `${day.slice(5, 7)}${day.slice(8, 10)}${day.slice(0, 4)}`;
}

function amountOf(minor_units: number, code: string): { readonly digits: string; readonly number: string } {
  const currency = currencyOfCode(code);
  if (currency === null) throw new RangeError(`${code} is no currency of ISO 4217`);
  const digits =
    currency.decimals <= amount_decimals
      ? minor_units * 10 ** (amount_decimals - currency.decimals)
      : minor_units / 10 ** (currency.decimals - amount_decimals);
  if (!Number.isSafeInteger(digits)) {
    throw new RangeError(`an amount of a VCF4 file has ${amount_decimals} decimals, which ${code} exceeds`);
  }
  return { digits: padded(digits, 16), number: padded(currency.number, 5) };
}
