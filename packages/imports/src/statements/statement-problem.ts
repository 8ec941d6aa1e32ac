import type { ReportedLine, StatementIdentity } from '@tallystick/accounts';
import { maskCardNumbers, showAmount } from '@tallystick/kernel';
import type { ImportProblem } from '../import.ts';
import type { AcceptedStatement } from './statement-items.ts';

/** Why a file of statements is held, the most severe first. */
export const statement_problem_codes = [
  'unknown_account',
  'statement_currency',
  'statement_differs',
  'statement_out_of_balance',
  'statement_gap',
] as const;

export type StatementProblemCode = (typeof statement_problem_codes)[number];

/** The problems with which a person may release a file. */
export const releasable_statement_codes: readonly string[] = ['statement_out_of_balance', 'statement_gap'];

/** Why a file of statements cannot be applied now. */
export interface StatementProblem extends ImportProblem {
  readonly code: StatementProblemCode;
  /**
   * The account that must be opened, or whose statement is missing; null: nothing is waited for.
   */
  readonly waits_for: string | null;
}

/** The most severe problem, and of equal ones the first; null: there is none. */
export function worstProblem(problems: readonly (StatementProblem | null)[]): StatementProblem | null {
  const found = problems.filter((problem) => problem !== null);
  const worst = found.toSorted((a, b) => severity(a) - severity(b))[0];
  return worst ?? null;
}

function severity({ code }: StatementProblem): number {
  return statement_problem_codes.indexOf(code);
}

/** `the statement of 2026-05-20 of account 1000000001`, without a card number. */
export function nameStatement({ as_of, account_number, reference }: AcceptedStatement): string {
  const name = reference === null ? '' : ` (${maskCardNumbers(reference)})`;
  return `the statement of ${as_of}${name} of account ${maskCardNumbers(account_number)}`;
}

/** `from 10.00 USD to 12.00 USD`. */
export function showBalances(
  { opening_balance, closing_balance }: Pick<StatementIdentity, 'opening_balance' | 'closing_balance'>,
  currency: string,
): string {
  return `from ${showAmount(opening_balance, currency)} to ${showAmount(closing_balance, currency)}`;
}

/** `-12.00 USD of 2026-05-20 (value date 2026-05-21, code 821)`. */
export function showLine({ amount, booking_date, value_date, bai_code }: ReportedLine, currency: string): string {
  return `${showAmount(amount, currency)} of ${booking_date} (value date ${value_date}, code ${bai_code})`;
}
