import { bookingSignOf, type ReportedLine, type StatementHead } from '@tallystick/accounts';
import { chunkText, type StatementFileContent, type WrittenStatement } from '@tallystick/imports';
import { oneLine } from '../stated-text.ts';
import { shortDay } from './fields.ts';

const sender = '900000001';
const receiver = '900000002';

/**
 * Writes a BAI2 file with a group for each statement, in constant memory. Throws a `RangeError` for
 * a line that the format cannot express: its lines are booked on the date of their statement, and
 * have the sign of their type code. A statement's reference is not written: the format has none.
 */
export function writeBai2(content: StatementFileContent): Generator<Uint8Array> {
  return chunkText(records(content));
}

function* records({ sequence, created_on, statements }: StatementFileContent): Generator<string> {
  yield `01,${sender},${receiver},${shortDay(created_on)},0000,${sequence},,,2/\n`;
  let [groups, count, sum] = [0, 2, 0n];
  for (const statement of statements) {
    const written = { records: 0, sum: 0n };
    yield* group(statement, written);
    groups += 1;
    count += written.records;
    sum += written.sum;
  }
  yield `99,${sum},${groups},${count}/\n`;
}

function* group({ head, lines }: WrittenStatement, written: { records: number; sum: bigint }): Generator<string> {
  const { account_number, currency, as_of, opening_balance, closing_balance } = head;
  yield `02,${receiver},${sender},1,${shortDay(as_of)},2359,${currency ?? ''},2/\n`;
  yield `03,${account_number},${currency ?? ''},010,${opening_balance},,,015,${closing_balance},,/\n`;
  let [count, sum] = [2, BigInt(opening_balance) + BigInt(closing_balance)];
  for (const line of lines) {
    count += 1;
    sum += BigInt(Math.abs(line.amount));
    yield detail(head, line);
  }
  yield `49,${sum},${count}/\n98,${sum},1,${count + 2}/\n`;
  written.records = count + 2;
  written.sum = sum;
}

function detail({ as_of }: StatementHead, line: ReportedLine): string {
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
  // The slash ends a record without a text, and a text that itself ends with one.
  const end = text === '' || text.endsWith('/') ? '/' : '';
  const fields = [bai_code, Math.abs(amount), funds, bank_reference ?? '', acquirer_reference ?? '', text];
  return `16,${fields.join(',')}${end}\n`;
}
