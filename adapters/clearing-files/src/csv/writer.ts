import type { ClearingInput } from '@tallystick/cards';
import { chunkText, type FileContent, type WrittenClearing } from '@tallystick/imports';
import { currencyOfCode } from '../currencies.ts';
import { showDay } from './dates.ts';
import { type CsvField, type CsvProfile, knownColumns } from './profile.ts';
import { sum_decimals } from './row-reader.ts';

/** No currency has this code. */
const malformed_currency = '???';

/**
 * Writes a file of the profile. Throws `RangeError` for a clearing that the profile cannot state.
 */
export function writeCsv(content: FileContent, profile: CsvProfile): Generator<Uint8Array> {
  return chunkText(lines(content, profile));
}

/**
 * Writes a file of the profile as a spreadsheet saves it in many countries: with a byte order mark,
 * semicolons, which the first row names, and empty rows at its end.
 */
export function writeSpreadsheet(content: FileContent, profile: CsvProfile): Generator<Uint8Array> {
  return chunkText(spreadsheetLines(content, { ...profile, delimiter: ';' }));
}

function* spreadsheetLines(content: FileContent, profile: CsvProfile): Generator<string> {
  yield '\ufeffsep=;\r\n';
  yield* lines(content, profile);
  yield line(
    knownColumns(profile).map(() => ''),
    profile,
  );
}

function* lines(content: FileContent, profile: CsvProfile): Generator<string> {
  const columns = knownColumns(profile);
  const file_id = `csv-${content.created_on}-${content.sequence}`;
  yield line(columns, profile);
  let count = 0;
  let sum = 0n;
  for (const clearing of content.clearings) {
    const values = valuesOf(clearing, profile, file_id);
    yield line(
      columns.map((column) => values.get(column) ?? ''),
      profile,
    );
    count += 1;
    sum += summandOf(clearing.input, profile);
  }
  const { trailer } = profile;
  if (trailer !== undefined) {
    const values = new Map([
      [profile.file_id_column, file_id],
      [trailer.column, trailer.value],
      [trailer.count_column, String(count)],
      [trailer.sum_column, showSum(sum, profile)],
    ]);
    yield line(
      columns.map((column) => values.get(column) ?? ''),
      profile,
    );
  }
}

function valuesOf(clearing: WrittenClearing, profile: CsvProfile, file_id: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const [column, field] of Object.entries(profile.columns)) {
    const text = textOf(clearing, field, profile);
    const word = Object.entries(profile.words[field] ?? {}).find(([, meaning]) => meaning === text)?.[0];
    if (text !== null) values.set(column, word ?? text);
  }
  const id_column = profile.id_columns?.[0];
  if (id_column !== undefined && !values.has(id_column)) {
    values.set(id_column, clearing.input.network_financial_transaction_id);
  }
  if (profile.file_id_column !== undefined) values.set(profile.file_id_column, file_id);
  return values;
}

function textOf({ input, last4, malformed }: WrittenClearing, field: CsvField, profile: CsvProfile): string | null {
  if (field === 'card_number' && input.card_number == null && last4 !== undefined) return `************${last4}`;
  if (malformed === true && (field === 'billing_currency' || field === 'merchant_currency')) return malformed_currency;
  const value = input[field];
  if (value === null || value === undefined) return null;
  if (field === 'billing_amount') return showAmount(input.billing_amount, input.billing_currency, profile);
  if (field === 'merchant_amount') return showAmount(input.merchant_amount!, input.merchant_currency!, profile);
  const is_date = field === 'settlement_date' || field === 'authorization_date';
  return is_date ? showDay(String(value), profile.dates) : String(value);
}

function showAmount(minor_units: number, code: string, { amounts, decimal_separator }: CsvProfile): string {
  if (amounts === 'minor_units') return String(minor_units);
  return withDecimals(BigInt(minor_units), decimalsOf(code), decimal_separator);
}

function summandOf({ billing_amount, billing_currency }: ClearingInput, { amounts }: CsvProfile): bigint {
  const amount = BigInt(billing_amount);
  return amounts === 'minor_units' ? amount : amount * 10n ** BigInt(sum_decimals - decimalsOf(billing_currency));
}

function showSum(sum: bigint, { amounts, decimal_separator }: CsvProfile): string {
  return amounts === 'minor_units' ? String(sum) : withDecimals(sum, sum_decimals, decimal_separator);
}

function decimalsOf(code: string): number {
  const currency = currencyOfCode(code);
  if (currency === null) throw new RangeError(`${code} is no currency of ISO 4217`);
  return currency.decimals;
}

function withDecimals(amount: bigint, decimals: number, separator: string): string {
  const digits = String(amount).padStart(decimals + 1, '0');
  const point = digits.length - decimals;
  return decimals === 0 ? digits : `${digits.slice(0, point)}${separator}${digits.slice(point)}`;
}

function line(cells: readonly string[], profile: CsvProfile): string {
  return `${cells.map((cell) => quoted(cell, profile)).join(profile.delimiter)}\r\n`;
}

function quoted(cell: string, { delimiter, quote }: CsvProfile): string {
  const has_special = cell.includes(delimiter) || /[\r\n]/.test(cell) || (quote !== null && cell.includes(quote));
  if (!has_special) return cell;
  if (quote === null) throw new RangeError('a text has a delimiter or a line break, but the profile has no quotes');
  return quote + cell.replaceAll(quote, quote + quote) + quote;
}
