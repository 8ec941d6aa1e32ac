import { type Money, money, sum_max } from '@tallystick/kernel';
import { FileProblem } from '../formats/file-problem.ts';
import type { AcceptedStatement, FileLine } from './statement-items.ts';

/** A statement of a file with what its lines amount to: staged when its last line is read. */
export interface StatementTotals {
  readonly kind: 'totals';
  readonly statement: AcceptedStatement;
  readonly lines: number;
  /** The sum of their amounts. */
  readonly sum: Money;
}

/** A statement at the start of staged lines, which may not be its first ones. */
export interface StagedStatement extends AcceptedStatement {
  /** The balance before the first of these lines. A batch of an older version names none. */
  readonly balance_before?: Money;
}

/** The statement from its next line on. */
export function continuedStatement({ statement, sum }: StatementTotals): StagedStatement {
  return { ...statement, balance_before: money(statement.opening_balance + sum) };
}

/** The totals of a statement before its first line. */
export function newTotals(statement: AcceptedStatement): StatementTotals {
  return { kind: 'totals', statement, lines: 0, sum: money(0) };
}

/** The totals with one more line. Throws `FileProblem` beyond the largest sum. */
export function addLine(totals: StatementTotals, { line, offset }: FileLine): StatementTotals {
  const sum = totals.sum + line.amount;
  if (Math.abs(sum) > sum_max) {
    const message = `the lines of the statement of ${totals.statement.as_of} amount to more than ${sum_max} minor units`;
    throw new FileProblem('refused', 'statement_too_large', message, offset);
  }
  return { ...totals, lines: totals.lines + 1, sum: money(sum) };
}
