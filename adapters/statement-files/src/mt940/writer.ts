import type { ReportedLine } from '@tallystick/accounts';
import { chunkText, type StatementFileContent, type WrittenStatement } from '@tallystick/imports';
import { decimalOf } from '../decimal-amounts.ts';
import { oneLine } from '../stated-text.ts';
import { entryDayOf } from './balance.ts';
import { line_length } from './information.ts';

const envelope = '{1:F01TALLDEFFAXXX0000000000}{2:I940TALLDEFFXXXXN}{4:';

/**
 * Writes an MT940 file with a message in an envelope for each statement, in constant memory. Throws
 * a `RangeError` for what the format cannot express: no statement, one without a currency, a year
 * out of 1980 to 2079, a line whose dates are more than half a year apart: an entry date is written
 * without its year. A statement's reference is written when it is a number of up to five digits; the
 * date of the file is not.
 */
export function writeMt940(content: StatementFileContent): Generator<Uint8Array> {
  return chunkText(messages(content));
}

function* messages({ sequence, statements }: StatementFileContent): Generator<string> {
  let count = 0;
  for (const statement of statements) {
    count += 1;
    yield* message(`SAMPLE-${sequence}`, statement);
  }
  if (count === 0) throw new RangeError('an MT940 file has at least one statement');
}

function* message(reference: string, { head, lines }: WrittenStatement): Generator<string> {
  const { account_number, currency, as_of, opening_balance, closing_balance } = head;
  if (currency === null) throw new RangeError('a statement of an MT940 file has a currency');
  // A reader takes one currency at the end of the number off.
  const account = account_number.endsWith(currency) ? `${account_number}${currency}` : account_number;
  const number = /^[1-9]\d{0,4}$/.test(head.reference ?? '') ? head.reference : '0';
  const balance = (amount: number): string =>
    `${amount < 0 ? 'D' : 'C'}${shortDay(as_of)}${currency}${withComma(amount, currency)}`;
  yield `${envelope}\r\n:20:${reference}\r\n:25:${account}\r\n:28C:${number}/1\r\n:60F:${balance(opening_balance)}\r\n`;
  for (const line of lines) yield entry(line, currency);
  yield `:62F:${balance(closing_balance)}\r\n-}\r\n`;
}

function entry(line: ReportedLine, currency: string): string {
  const { bank_reference, booking_date, value_date, amount, bai_code, text, acquirer_reference } = line;
  const entry_date = shortDay(booking_date).slice(2);
  if (entryDayOf(entry_date, value_date) !== booking_date) {
    throw new RangeError(`a line of an MT940 file is not booked on ${booking_date} with the value date ${value_date}`);
  }
  if (text !== oneLine([text]) || /:\w\w\w?:|\{[1-4]:/.test(text)) {
    throw new RangeError('a text of an MT940 file is one line, without tags');
  }
  const references = `${acquirer_reference ?? 'NONREF'}${bank_reference === null ? '' : `//${bank_reference}`}`;
  const information = informationLines(`/BAI/${bai_code}/${text}`);
  const mark = amount < 0 ? 'D' : 'C';
  const stated = `${shortDay(value_date)}${entry_date}${mark}${withComma(amount, currency)}NMSC${references}`;
  return `:61:${stated}\r\n:86:${information.join('\r\n')}\r\n`;
}

/** The text in lines of full length, but for the last one. */
function informationLines(text: string): readonly string[] {
  const letters = [...text];
  const count = Math.ceil(letters.length / line_length);
  return Array.from({ length: count }, (_, line) =>
    letters.slice(line * line_length, (line + 1) * line_length).join(''),
  );
}

function shortDay(day: string): string {
  if (day < '1980' || day >= '2080') throw new RangeError(`an MT940 file states years from 1980 to 2079, not ${day}`);
  return day.slice(2).replaceAll('-', '');
}

/** Minor units without their sign, with a decimal comma. */
function withComma(amount: number, currency: string): string {
  const [whole, fraction = ''] = decimalOf(amount, currency).split('.');
  return `${whole},${fraction}`;
}
