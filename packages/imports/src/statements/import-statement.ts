import { type Money, maskCardNumbers } from '@tallystick/kernel';
import { type HeldStatement, named_statements_max } from '../import.ts';
import type { FileStatement, StatedProblem } from './statement-items.ts';
import { type StatementProblem, severityOf } from './statement-problem.ts';

export const import_statement_statuses = [
  /** It is to be decided about. */
  'staged',
  /** It fits, and its lines are being recorded. */
  'recording',
  /** Its lines are recorded, all of them, or those that were not known. */
  'applied',
  /** It waits for a person, an account or another statement. Its lines stay staged. */
  'held',
] as const;

export type ImportStatementStatus = (typeof import_statement_statuses)[number];

/** A statement of a file, with what its lines amount to and what became of it. */
export interface ImportStatement extends Omit<FileStatement, 'kind' | 'problem'> {
  readonly import_id: number;
  readonly lines: number;
  /** The sum of their amounts. */
  readonly sum: Money;
  /** The earliest booking date of its lines; null without lines. */
  readonly first_booking_date: string | null;
  /** Its lines fall by their booking dates. */
  readonly is_newest_first: boolean;
  /** Why it cannot be applied as it was read. Only another file can bring what is right. */
  readonly stated_problem: StatedProblem | null;
  readonly status: ImportStatementStatus;
  /** Why it is held. */
  readonly problem: StatementProblem | null;
  /** The codes of the problems with which a person released it. */
  readonly accepted_problems: readonly string[];
  /** The stored statement of its lines; null until it is decided. */
  readonly statement_id: number | null;
  /** That statement was recorded before this one: only lines that it lacks are recorded. */
  readonly is_known: boolean;
  /** How many lines the known statement has: the places of further ones come after them. */
  readonly known_lines: number;
}

/** The held ones among the statements, as people see them: the first ones. */
export function namedHeld(statements: readonly ImportStatement[]): readonly HeldStatement[] {
  return statements
    .slice(0, named_statements_max)
    .map(({ number, account_number, reference, as_of, lines, problem }) => ({
      number,
      account_number: maskCardNumbers(account_number),
      reference: reference === null ? null : maskCardNumbers(reference),
      as_of,
      lines,
      ...problem!,
    }));
}

export type StatementsByNumber = ReadonlyMap<number, ImportStatement>;

/** The most severe problem, of those that are held. Null: none is. */
export function worstProblem(statements: readonly ImportStatement[]): StatementProblem | null {
  const problems = statements.flatMap(({ problem }) => (problem === null ? [] : [problem]));
  return problems.toSorted((a, b) => severityOf(a) - severityOf(b))[0] ?? null;
}
