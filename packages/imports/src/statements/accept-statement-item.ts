import { isAccountNumber, type ReportedLine } from '@tallystick/accounts';
import { refuseNumbersOfCards } from '@tallystick/cards';
import {
  amount_max,
  isCurrency,
  isDay,
  isPrintable,
  isStorable,
  maskCardNumbers,
  Refusal,
  showValue,
  sum_max,
  toStorableText,
} from '@tallystick/kernel';
import type { BadRecord } from '../formats/clearing-format.ts';
import { FileProblem } from '../formats/file-problem.ts';
import type { ImportPorts } from '../ports.ts';
import type { AcceptedStatement, FileLine, FileStatement, FileStatementEnd } from './statement-items.ts';

/** The longest reference of a bank, and the longest text of a line, in UTF-16 units. */
const reference_length_max = 255;
const text_length_max = 4_000;

/** The most statements of a file: those of one account are placed in memory. */
export const statements_max = 10_000;

/**
 * The statement, which can be stored, whichever format has read it. Throws `FileProblem` otherwise.
 */
export function acceptStatement(statement: FileStatement): AcceptedStatement {
  const { account_number, currency, reference, as_of, opening_balance, closing_balance, problem } = statement;
  if (problem !== undefined) throw new FileProblem('refused', problem.code, problem.message, statement.offset);
  if (opening_balance === null || closing_balance === null) {
    const message = `statement ${statement.number} must state its opening and its closing balance`;
    throw new FileProblem('refused', 'balance_missing', message, statement.offset);
  }
  if (statement.number > statements_max) {
    const message = `the file has more than ${statements_max} statements: ask the bank to split it`;
    throw new FileProblem('refused', 'too_many_statements', message, statement.offset);
  }
  const expect = (is_right: boolean, what: string, value: unknown, right: string): void => {
    if (is_right) return;
    const message = `the ${what} of statement ${statement.number} must be ${right}, not ${showValue(value)}`;
    throw new FileProblem('refused', 'statement_malformed', message, statement.offset);
  };
  expect(isAccountNumber(account_number), 'account number', account_number, '1 to 34 letters and digits');
  expect(currency === null || isCurrency(currency), 'currency', currency, 'an ISO 4217 code');
  expect(reference === null || isReference(reference), 'reference', reference, reference_expected);
  expect(isDate(as_of), 'date', as_of, date_expected);
  expect(isAmount(opening_balance, sum_max), 'opening balance', opening_balance, 'an amount within bounds');
  expect(isAmount(closing_balance, sum_max), 'closing balance', closing_balance, 'an amount within bounds');
  return { ...statement, opening_balance, closing_balance };
}

/**
 * The line as it can be stored: card numbers in its text are masked, and a long text is cut. Throws
 * `FileProblem` for other errors.
 */
export function acceptLine(item: FileLine): FileLine {
  const { line } = item;
  const { bank_reference, booking_date, value_date, amount, bai_code, text, acquirer_reference }: ReportedLine = line;
  const expect = (is_right: boolean, what: string, value: unknown, right: string): void => {
    if (is_right) return;
    const where = `of line ${item.place} of statement ${item.statement_number}`;
    const message = `the ${what} ${where} must be ${right}, not ${showValue(value)}`;
    throw new FileProblem('refused', 'line_malformed', message, item.offset);
  };
  expect(bank_reference === null || isReference(bank_reference), 'bank reference', bank_reference, reference_expected);
  expect(isDate(booking_date), 'booking date', booking_date, date_expected);
  expect(isDate(value_date), 'value date', value_date, date_expected);
  expect(isAmount(amount, amount_max), 'amount', amount, `within ±${amount_max} minor units`);
  expect(/^[0-9]{3}$/.test(bai_code), 'BAI code', bai_code, 'three digits');
  const is_acquirer_reference = acquirer_reference === null || /^([0-9]{17}|[0-9]{23})$/.test(acquirer_reference);
  expect(is_acquirer_reference, 'acquirer reference', acquirer_reference, '17 or 23 digits');
  const kept = toStorableText(maskCardNumbers(text).slice(0, text_length_max));
  return kept === text ? item : { ...item, line: { ...line, text: kept } };
}

/**
 * Refuses (`FileProblem`) references that contain the number of a card of ours: they name a line or
 * a statement, so they cannot be masked (ADR 0026). One look-up for any number of items.
 */
export async function refuseCardNumbers(
  ports: Pick<ImportPorts, 'unitOfWork' | 'vault'>,
  items: readonly (FileStatement | FileLine)[],
): Promise<void> {
  const values = Object.fromEntries(
    items.map((item) => [`the bank's reference in record ${item.ordinal}`, namesIn(item)]),
  );
  try {
    await ports.unitOfWork.read((tx) => refuseNumbersOfCards(tx, ports, values));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const [path] = error.fields.map((field) => field.path);
    const item = items.find(({ ordinal }) => path === `the bank's reference in record ${ordinal}`);
    throw new FileProblem('refused', 'line_malformed', error.message, item?.offset ?? null);
  }
}

/** The texts that name a record, between words so that the digits of two are not joined. */
function namesIn(item: FileStatement | FileLine): string {
  return item.kind === 'line' ? (item.line.bank_reference ?? '') : `${item.account_number} and ${item.reference ?? ''}`;
}

const reference_expected = `1 to ${reference_length_max} printable characters`;
const date_expected = 'a date that exists, as YYYY-MM-DD, from 1970 on';

function isReference(text: string): boolean {
  return text.length >= 1 && text.length <= reference_length_max && isStorable(text) && isPrintable(text);
}

function isDate(text: string): boolean {
  return isDay(text) && text >= '1970-01-01';
}

function isAmount(amount: number, max: number): boolean {
  return Number.isSafeInteger(amount) && Math.abs(amount) <= max;
}

/** Refuses a file of statements with a record that cannot be read: its balances do not add up. */
export function refuseBadRecord({ code, reason, offset }: BadRecord): never {
  throw new FileProblem('refused', code, reason, offset);
}

/** Refuses a file whose statements end with a record of their own. */
export function refuseStatementEnd({ offset }: FileStatementEnd): never {
  throw new FileProblem('refused', 'statement_end', 'the statement has an end', offset);
}
