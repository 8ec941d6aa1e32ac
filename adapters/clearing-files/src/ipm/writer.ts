import type { ClearingInput } from '@tallystick/cards';
import type { FileContent, WrittenClearing } from '@tallystick/imports';
import { currencyOfCode } from '../currencies.ts';
import { block_bytes, block_data_bytes, block_fill } from './container.ts';
import { element_forms } from './elements.ts';
import { encodeText, type IpmEncoding, toLatin1 } from './encoding.ts';

/** Container and encoding. */
export const ipm_variants = ['vbs-ascii', 'vbs-cp500', '1014-ascii', '1014-cp500'] as const;

/** The number of the processor in the ids of written files. No processor has it. */
const processor = '00000000000';
/** The type of a file of clearings to an issuer. */
const file_type = '002';
const chunk_bytes = 65_536;
/** No currency has this number. */
const malformed_currency = '000';
const settlement_date_at = 59;
/** What DE43 has besides the name: street, city (blank), postcode, state (blank) and country. */
const address = `\\ \\ \\${' '.repeat(13)}ZZZ`;
const merchant_name_length_max = 99 - address.length;

/**
 * Writes an IPM file. What is too long for its element is cut, and a character that the encoding
 * does not have becomes a question mark. Throws `RangeError` for a clearing that the format cannot
 * state: one without a card number, or with an amount, currency, date or rate that has no place.
 */
export function* writeIpm(content: FileContent, variant = 'vbs-ascii'): Generator<Uint8Array> {
  const [container, encoding] = parseVariant(variant);
  const records = writeRecords(content, encoding);
  yield* container === '1014' ? writeBlocks(records) : writeChunks(records);
}

function parseVariant(variant: string): readonly [container: string, encoding: IpmEncoding] {
  if (!ipm_variants.some((known) => known === variant)) {
    throw new RangeError(`ipm has no variant ${variant}: ${ipm_variants.join(', ')}`);
  }
  const [container, encoding] = variant.split('-') as [string, IpmEncoding];
  return [container, encoding];
}

function* writeRecords(content: FileContent, encoding: IpmEncoding): Generator<Buffer> {
  const file_id = fileIdOf(content);
  const mode = content.mode === 'test' ? 'T' : 'P';
  let messages = 1;
  let sum = 0n;
  const header = { 24: '697', 48: pds(105, file_id) + pds(122, mode), 71: messageNumber(1) };
  yield writeMessage('1644', header, encoding);
  for (const clearing of content.clearings) {
    messages += 1;
    const { mti, elements } = presentment(clearing, content.created_on, mode);
    sum += BigInt(elements[4]!);
    yield writeMessage(mti, { ...elements, 71: messageNumber(messages) }, encoding);
  }
  messages += 1;
  const totals =
    pds(301, fixed(sum, 16, 'the sum of all amounts')) + pds(306, fixed(messages, 8, 'the number of messages'));
  yield writeMessage('1644', { 24: '695', 48: pds(105, file_id) + totals, 71: messageNumber(messages) }, encoding);
  yield Buffer.alloc(4);
}

function fileIdOf({ sequence, created_on }: FileContent): string {
  return file_type + shortDate(created_on) + processor + fixed(sequence, 5, 'the sequence of the file');
}

type Elements = Record<number, string>;

function presentment(
  { input, malformed = false }: WrittenClearing,
  created_on: string,
  mode: string,
): { readonly mti: string; readonly elements: Elements } {
  const merchant = {
    amount: input.merchant_amount ?? input.billing_amount,
    currency: input.merchant_currency ?? input.billing_currency,
  };
  const cycle = input.cycle ?? 'first_presentment';
  const is_reversal = cycle === 'reversal';
  const is_credit = (input.clearing_type === 'CREDIT') !== is_reversal;
  const elements: Elements = {
    2: cardNumberOf(input),
    3: is_credit ? '200000' : '000000',
    4: fixed(merchant.amount, 12, 'the merchant amount'),
    6: fixed(input.billing_amount, 12, 'the billing amount'),
    24: functionCodeOf(cycle),
    48:
      (is_reversal ? pds(25, `R${shortDate(created_on)}`) : '') +
      pds(122, mode) +
      pds(148, decimalsOf(merchant.currency, input.billing_currency)) +
      pds(159, '0'.repeat(settlement_date_at) + shortDate(input.settlement_date) + '00'),
    49: malformed ? malformed_currency : numberOf(merchant.currency),
    51: malformed ? malformed_currency : numberOf(input.billing_currency),
  };
  put(elements, 10, input.exchange_rate, rateOf);
  put(elements, 12, input.authorization_date, (date) => `${shortDate(date)}000000`);
  if (input.partial === true) elements[25] = '1403';
  put(elements, 26, input.mcc, toLatin1);
  put(elements, 31, input.acquirer_reference_data, toLatin1);
  put(elements, 38, input.approval_code, (code) => toLatin1(code).padEnd(6));
  put(elements, 42, input.merchant_id, (id) => toLatin1(id).slice(0, 15).padEnd(15));
  put(elements, 43, input.merchant_name, nameAndAddress);
  put(elements, 63, input.net_reference_number, (text) => ` ${toLatin1(text).slice(0, 13).padEnd(13)}  `);
  put(elements, 94, input.acquirer_ica, toLatin1);
  return { mti: cycle === 'chargeback' ? '1442' : '1240', elements };
}

function put(
  elements: Elements,
  element: number,
  text: string | null | undefined,
  show: (text: string) => string,
): void {
  if (text !== null && text !== undefined) elements[element] = show(text);
}

function nameAndAddress(name: string): string {
  return toLatin1(name).replaceAll('\\', '/').slice(0, merchant_name_length_max) + address;
}

function functionCodeOf(cycle: string): string {
  if (cycle === 'second_presentment') return '205';
  return cycle === 'chargeback' ? '450' : '200';
}

function cardNumberOf({ card_number }: ClearingInput): string {
  if (!/^\d{12,19}$/.test(card_number ?? '')) {
    throw new RangeError('an IPM record needs the number of the card, 12 to 19 digits: it has no place for a vcn_id');
  }
  return card_number!;
}

/** PDS0148: each currency with the decimals of its amounts. */
function decimalsOf(...codes: readonly string[]): string {
  return [...new Set(codes)].map((code) => numberOf(code) + currencyOfCode(code)!.decimals).join('');
}

function numberOf(code: string): string {
  const currency = currencyOfCode(code);
  if (currency === null) throw new RangeError(`${code} is no currency of ISO 4217`);
  return currency.number;
}

/** DE10: the number of decimals, then seven digits. */
function rateOf(rate: string): string {
  const found = /^(\d+)(?:\.(\d{1,9}))?$/.exec(rate);
  const digits = found === null ? '' : (found[1]! + (found[2] ?? '')).replace(/^0+/, '');
  if (found === null || digits.length > 7) {
    throw new RangeError(`the exchange rate ${rate} is no decimal number of at most 7 digits and 9 decimals`);
  }
  return String((found[2] ?? '').length) + digits.padStart(7, '0');
}

function pds(tag: number, value: string): string {
  return String(tag).padStart(4, '0') + String(value.length).padStart(3, '0') + value;
}

function messageNumber(number: number): string {
  return fixed(number, 8, 'the message number');
}

function fixed(number: number | bigint, digits: number, title: string): string {
  const text = String(number);
  if (!/^\d+$/.test(text) || text.length > digits)
    throw new RangeError(`${title}, ${text}, has no place in ${digits} digits`);
  return text.padStart(digits, '0');
}

/** YYMMDD of a date or of a date and time. */
function shortDate(date: string): string {
  const found = /^20(\d\d)-(\d\d)-(\d\d)(?:T|$)/.exec(date);
  if (found === null) throw new RangeError(`${date} is no date of this century, as YYYY-MM-DD`);
  return found.slice(1).join('');
}

function writeMessage(mti: string, elements: Elements, encoding: IpmEncoding): Buffer {
  const bitmap = Buffer.alloc(16);
  bitmap[0] = 0x80;
  let text = '';
  // Integer keys of an object are in ascending order, and so are the elements of a message.
  for (const [number, content] of Object.entries(elements)) {
    const element = Number(number);
    bitmap[(element - 1) >> 3]! |= 0x80 >> ((element - 1) & 7);
    text += written(element, content);
  }
  const body = encodeText(text, encoding);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(4 + bitmap.length + body.length);
  return Buffer.concat([length, encodeText(mti, encoding), bitmap, body]);
}

/** An element with its length, checked against its form: a file with another one cannot be read. */
function written(element: number, content: string): string {
  const form = element_forms[element]!;
  const { length } = content;
  if (typeof form === 'number') {
    if (length !== form) throw new RangeError(`DE${element} has ${form} characters, not ${length}`);
    return content;
  }
  const [prefix, length_max] = form;
  if (length > length_max) throw new RangeError(`DE${element} has at most ${length_max} characters, not ${length}`);
  return String(length).padStart(prefix.length, '0') + content;
}

function* writeChunks(records: Iterable<Buffer>): Generator<Buffer> {
  let parts: Buffer[] = [];
  let bytes = 0;
  for (const record of records) {
    parts.push(record);
    bytes += record.length;
    if (bytes < chunk_bytes) continue;
    yield Buffer.concat(parts, bytes);
    parts = [];
    bytes = 0;
  }
  yield Buffer.concat(parts, bytes);
}

/** Cuts the records into blocks, and fills up the last one. */
function* writeBlocks(records: Iterable<Buffer>): Generator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for (const chunk of writeChunks(records)) {
    const bytes = Buffer.concat([rest, chunk]);
    const blocks = Math.floor(bytes.length / block_data_bytes);
    rest = bytes.subarray(blocks * block_data_bytes);
    if (blocks > 0) yield toBlocks(bytes, blocks);
  }
  if (rest.length > 0) yield toBlocks(rest, 1);
}

function toBlocks(bytes: Buffer, count: number): Buffer {
  const blocks = Buffer.alloc(count * block_bytes, block_fill);
  for (let block = 0; block < count; block += 1) {
    bytes.copy(blocks, block * block_bytes, block * block_data_bytes, (block + 1) * block_data_bytes);
  }
  return blocks;
}
