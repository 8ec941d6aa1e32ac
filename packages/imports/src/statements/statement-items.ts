import type { ReportedLine, StatementHead } from '@tallystick/accounts';
import type { RecordPlace } from '../formats/record-place.ts';

/** A statement begins: the lines that follow belong to it, up to the next statement or the end. */
export interface FileStatement extends RecordPlace, StatementHead {
  readonly kind: 'statement';
  /** The place among the statements of the file, from 1. */
  readonly number: number;
}

/** A line of the statement that began last. */
export interface FileLine extends RecordPlace {
  readonly kind: 'line';
  /** `FileStatement.number`. */
  readonly statement_number: number;
  /** The place among the lines of its statement, from 1. */
  readonly place: number;
  readonly line: ReportedLine;
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
