import { bookingSignOf, type ReportedLine, type StatementHead } from '@tallystick/accounts';
import { chunkText, type StatementFileContent, type WrittenStatement } from '@tallystick/imports';
import { oneLine } from '../stated-text.ts';
import { shortDay } from './fields.ts';

const sender = '900000001';
const receiver = '900000002';

export const bai2_variants = ['plain', 'bank'] as const;

/** The length after which the variant `bank` continues a text in another record. */
const text_part_length = 76;

/**
 * Writes a BAI2 file with a group for each statement, in constant memory. Throws a `RangeError` for
 * a line that the format cannot express: its lines are booked on the date of their statement, and
 * have the sign of their type code. A statement's reference is not written: the format has none.
 *
 * The variant `bank` has what many banks send: no opening balance, an empty field too many before a
 * continuation, long texts in records 88, in each group an account that states nothing, and a last
 * record without an end.
 */
export function writeBai2(content: StatementFileContent, variant = 'plain'): Generator<Uint8Array> {
  if (!bai2_variants.some((known) => known === variant)) {
    throw new RangeError(`bai2 has no variant ${variant}: ${bai2_variants.join(', ')}`);
  }
  return chunkText(records(content, variant === 'bank'));
}

function* records({ sequence, created_on, statements }: StatementFileContent, is_bank: boolean): Generator<string> {
  yield `01,${sender},${receiver},${shortDay(created_on)},0000,${sequence},,,2/\n`;
  let [groups, count, sum] = [0, 2, 0n];
  for (const statement of statements) {
    const written = { records: 0, sum: 0n };
    yield* group(statement, written, is_bank);
    groups += 1;
    count += written.records;
    sum += written.sum;
  }
  yield `99,${sum},${groups},${count}${is_bank ? '' : '/\n'}`;
}

function* group(
  { head, lines }: WrittenStatement,
  written: { records: number; sum: bigint },
  is_bank: boolean,
): Generator<string> {
  const { account_number, currency, as_of, opening_balance, closing_balance } = head;
  const account = `03,${account_number},${currency ?? ''},`;
  yield `02,${receiver},${sender},1,${shortDay(as_of)},2359,${currency ?? ''},2/\n`;
  let [count, sum] = [is_bank ? 3 : 2, BigInt(closing_balance) + BigInt(is_bank ? closing_balance : opening_balance)];
  yield is_bank
    ? `${account}015,${closing_balance},,,/\n88,045,${closing_balance},,/\n`
    : `${account}010,${opening_balance},,,015,${closing_balance},,/\n`;
  for (const line of lines) {
    const physical = detail(head, line, is_bank);
    count += physical.length;
    sum += BigInt(Math.abs(line.amount));
    yield* physical;
  }
  yield `49,${sum},${count}/\n`;
  if (is_bank) yield '03,0000000000,,,,,/\n49,0,2/\n';
  const [accounts, records] = is_bank ? [2, count + 4] : [1, count + 2];
  yield `98,${sum},${accounts},${records}/\n`;
  written.records = records;
  written.sum = sum;
}

/** The physical records of a line. */
function detail({ as_of }: StatementHead, line: ReportedLine, is_bank: boolean): readonly string[] {
  const { bank_reference, booking_date, value_date, amount, bai_code, text, acquirer_reference } = line;
  if (booking_date !== as_of) throw new RangeError(`a line of a BAI2 file is booked on ${as_of}, not ${booking_date}`);
  const sign = bookingSignOf(bai_code);
  if (sign === null || (amount !== 0 && sign !== (amount < 0 ? 'debit' : 'credit'))) {
    throw new RangeError(`the type code ${bai_code} does not state the sign of ${amount}`);
  }
  if (/[,\r\n]/.test(bank_reference ?? '')) throw new RangeError('a reference of a BAI2 file contains no commas');
  if (text !== oneLine([text]) || text.startsWith('/')) {
    throw new RangeError('a text of a BAI2 file is one line that does not begin with "/"');
  }
  const funds = value_date === booking_date ? '' : `V,${shortDay(value_date)},`;
  const fields = `16,${bai_code},${Math.abs(amount)},${funds},${bank_reference ?? ''},${acquirer_reference ?? ''}`;
  if (!is_bank || text.length <= text_part_length) return [`${fields},${ended(text)}`];
  return [`${fields}/\n`, ...parts(text).map((part) => `88,${ended(part)}`)];
}

/** The slash ends a record without a text, and a text that itself ends with one. */
function ended(text: string): string {
  return `${text}${text === '' || text.endsWith('/') ? '/' : ''}\n`;
}

/** The text in parts of whole words. */
function parts(text: string): readonly string[] {
  const found: string[] = [];
  for (const word of text.split(' ')) {
    const last = found.at(-1);
    if (last === undefined || last.length + word.length >= text_part_length) found.push(word);
    else found[found.length - 1] = `${last} ${word}`;
  }
  return found;
}
