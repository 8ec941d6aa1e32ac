import type { ReportedLine, StatementHead } from '@tallystick/accounts';
import type { Money } from '@tallystick/kernel';
import type { RecordPlace } from '../formats/record-place.ts';

/** Why a statement cannot be applied, though its file is whole. */
export interface StatedProblem {
  /** snake_case, stable: `amount_malformed`. */
  readonly code: string;
  /** What is wrong with which element, and what a person can do about it. */
  readonly message: string;
}

/** A statement begins: the lines that follow belong to it, up to the next statement or the end. */
export interface FileStatement extends RecordPlace, Omit<StatementHead, 'opening_balance' | 'closing_balance'> {
  readonly kind: 'statement';
  /** The place among the statements of the file, from 1. */
  readonly number: number;
  /** Null: not stated, so it follows from the chain, or from the closing balance and the lines. */
  readonly opening_balance: Money | null;
  /** Null: not stated, or stated after the lines (`FileStatementEnd`). */
  readonly closing_balance: Money | null;
  /** The head cannot be used: the statement is held with this problem, and the others go on. */
  readonly problem?: StatedProblem;
}

/** What a statement states after its lines. For a format that states nothing there, it is absent. */
export interface FileStatementEnd extends RecordPlace {
  readonly kind: 'statement_end';
  /** `FileStatement.number`, of the statement that began last. */
  readonly statement_number: number;
  readonly closing_balance: Money | null;
  /** What is stated only with the closing balance. It replaces what the statement began with. */
  readonly as_of?: string;
  readonly currency?: string;
  /** As `FileStatement.problem`. */
  readonly problem?: StatedProblem;
}

/** A line of the statement that began last. */
export interface FileLine extends RecordPlace {
  readonly kind: 'line';
  /** `FileStatement.number`. */
  readonly statement_number: number;
  /** The place among the lines of its statement, from 1. */
  readonly place: number;
  readonly line: ReportedLine;
  /** Names of stated additions that cannot be read. They are left out, with a warning. */
  readonly unread?: readonly string[];
}

export interface WrittenStatement {
  readonly head: StatementHead;
  readonly lines: Iterable<ReportedLine>;
}

export interface StatementFileContent {
  /** The place of the file in its series, from 1. */
  readonly sequence: number;
  /** YYYY-MM-DD. */
  readonly created_on: string;
  readonly statements: Iterable<WrittenStatement>;
}
