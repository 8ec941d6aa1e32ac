import { account_number_expected, isAccountNumber, isAcquirerReference, type ReportedLine } from '@tallystick/accounts';
import { refuseNumbersOfCards } from '@tallystick/cards';
import {
  amount_max,
  isCurrency,
  isDay,
  isPrintable,
  isStorable,
  type Money,
  maskCardNumbers,
  Refusal,
  showValue,
  sum_max,
  toStorableText,
} from '@tallystick/kernel';
import type { BadRecord } from '../formats/clearing-format.ts';
import { FileProblem } from '../formats/file-problem.ts';
import type { ImportPorts } from '../ports.ts';
import type { FileLine, FileStatement, StatedProblem } from './statement-items.ts';

/** The longest reference of a bank, and the longest text of a line, in UTF-16 units. */
const reference_length_max = 255;
const text_length_max = 4_000;

/** The most statements of a file: those of one account are placed in memory. */
const statements_max = 10_000;

/**
 * The statement, which can be stored, whichever format has read it: with a problem where a value
 * cannot. Throws `FileProblem` for one statement too many.
 */
export function acceptStatement(statement: FileStatement): FileStatement {
  const { number, offset, account_number, currency, reference, as_of, opening_balance, closing_balance } = statement;
  if (number > statements_max) {
    const message = `the file has more than ${statements_max} statements: ask the bank to split it`;
    throw new FileProblem('refused', 'too_many_statements', message, offset);
  }
  const kept = {
    account_number: isAccountNumber(account_number)
      ? account_number
      : toStorableText(account_number.slice(0, reference_length_max)),
    currency: currency === null || isCurrency(currency) ? currency : null,
    reference: reference === null || isReference(reference) ? reference : null,
    as_of: isDate(as_of) ? as_of : '1970-01-01',
    opening_balance: isBalance(opening_balance) ? opening_balance : null,
    closing_balance: isBalance(closing_balance) ? closing_balance : null,
  };
  const expected = {
    account_number: account_number_expected,
    currency: 'an ISO 4217 code',
    reference: reference_expected,
    as_of: date_expected,
    opening_balance: 'an amount within bounds',
    closing_balance: 'an amount within bounds',
  };
  const wrong = (Object.keys(kept) as (keyof typeof kept)[]).find(
    (name) => kept[name] !== statement[name] || (name === 'account_number' && !isAccountNumber(account_number)),
  );
  if (wrong === undefined) return statement;
  const message = `the ${wrong} of statement ${number} must be ${expected[wrong]}, not ${showValue(statement[wrong])}`;
  return { problem: { code: 'statement_malformed', message }, ...statement, ...kept };
}

/**
 * The line as it can be stored: card numbers in its text are masked, and a long text is cut. Bad
 * when another value cannot be stored.
 */
export function acceptLine(item: FileLine): FileLine | BadRecord {
  const { line, ordinal, offset } = item;
  const { bank_reference, booking_date, value_date, amount, bai_code, text, acquirer_reference }: ReportedLine = line;
  const is_acquirer_reference = acquirer_reference === null || isAcquirerReference(acquirer_reference);
  const checks: readonly (readonly [boolean, string, unknown, string])[] = [
    [bank_reference === null || isReference(bank_reference), 'bank reference', bank_reference, reference_expected],
    [isDate(booking_date), 'booking date', booking_date, date_expected],
    [isDate(value_date), 'value date', value_date, date_expected],
    [isAmount(amount, amount_max), 'amount', amount, `within ±${amount_max} minor units`],
    [/^[0-9]{3}$/.test(bai_code), 'BAI code', bai_code, 'three digits'],
    [is_acquirer_reference, 'acquirer reference', acquirer_reference, '17 or 23 digits'],
  ];
  const wrong = checks.find(([is_right]) => !is_right);
  if (wrong !== undefined) {
    const [, what, value, right] = wrong;
    const where = `of line ${item.place} of statement ${item.statement_number}`;
    const reason = `the ${what} ${where} must be ${right}, not ${showValue(value)}`;
    return { kind: 'bad', ordinal, offset, code: 'line_malformed', reason, raw: no_bytes };
  }
  const kept = toStorableText(maskCardNumbers(text).slice(0, text_length_max));
  return kept === text ? item : { ...item, line: { ...line, text: kept } };
}

const no_bytes = new Uint8Array();

/**
 * The items whose references contain the number of a card of ours, by their ordinals: they name a
 * line or a statement, so they cannot be masked (ADR 0026). One look-up for any number of items.
 */
export async function findCardNumbers(
  ports: Pick<ImportPorts, 'unitOfWork' | 'vault'>,
  items: readonly (FileStatement | FileLine)[],
): Promise<ReadonlyMap<number, StatedProblem>> {
  const values = Object.fromEntries(items.map((item) => [item.ordinal, namesIn(item)]));
  try {
    await ports.unitOfWork.read((tx) => refuseNumbersOfCards(tx, ports, values));
    return new Map();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return new Map(
      error.fields.map(({ path, message }) => {
        const stated = `the bank's reference in record ${path} ${message}`;
        return [Number(path), { code: 'line_malformed', message: stated }];
      }),
    );
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

function isBalance(amount: Money | null): boolean {
  return amount === null || isAmount(amount, sum_max);
}

function isAmount(amount: number, max: number): boolean {
  return Number.isSafeInteger(amount) && Math.abs(amount) <= max;
}
