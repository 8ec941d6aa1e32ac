import type { ReportedLine } from '@tallystick/accounts';
import { type Money, maskCardNumbers, showAmount } from '@tallystick/kernel';
import type { ImportProblem } from '../import.ts';
import type { FileStatement } from './statement-items.ts';

/** Why a statement of a file is held, though it can be read; the most severe first. */
export const statement_problem_codes = [
  'unknown_account',
  'statement_currency',
  'statement_differs',
  'statement_out_of_balance',
  'balance_missing',
  'statement_gap',
] as const;

/** The problems with which a person may release a statement. */
export const releasable_statement_codes: readonly string[] = [
  'statement_differs',
  'statement_out_of_balance',
  'balance_missing',
  'statement_gap',
];

/** Why a statement cannot be applied now. Its code is one of these, or one of its format. */
export interface StatementProblem extends ImportProblem {
  /**
   * The number of the account that must be opened, or whose statement is missing: then it is applied
   * by itself. Null: nothing is waited for.
   */
  readonly waits_for: string | null;
}

/** The place of a code among the severest. What a format cannot read is the severest. */
export function severityOf({ code }: StatementProblem): number {
  return (statement_problem_codes as readonly string[]).indexOf(code);
}

type NamedStatement = Pick<FileStatement, 'as_of' | 'account_number' | 'reference'>;

/**
 * `the statement of 2026-05-20 with the id S1 of account 1000000001`, without a card number. Words
 * stand between the values: digits of two of them could look like the number of a card.
 */
export function nameStatement({ as_of, account_number, reference }: NamedStatement): string {
  const account = account_number === '' ? 'no account' : `account ${maskCardNumbers(account_number)}`;
  return `the statement of ${as_of}${nameReference(reference)} of ${account}`;
}

/** ` with the id S1`; nothing without a reference. */
export function nameReference(reference: string | null): string {
  return reference === null ? '' : ` with the id ${maskCardNumbers(reference)}`;
}

/** `from 10.00 USD to 12.00 USD`. */
export function showBalances(
  { opening_balance, closing_balance }: { readonly opening_balance: Money; readonly closing_balance: Money },
  currency: string,
): string {
  return `from ${showAmount(opening_balance, currency)} to ${showAmount(closing_balance, currency)}`;
}

/** `-12.00 USD of 2026-05-20 (code 821)`. */
export function showLine({ amount, booking_date, bai_code }: ReportedLine, currency: string): string {
  return `${showAmount(amount, currency)} of ${booking_date} (code ${bai_code})`;
}
