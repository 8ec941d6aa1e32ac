import type { Money } from '@tallystick/kernel';
import type { FileLine } from './statement-items.ts';

export interface StagedLine extends FileLine {
  /** Its place among the lines of its statement with this reference, date, amount and code, from 1. */
  readonly occurrence: number;
}

/** The staged lines that follow are of this statement. */
export interface StagedSection {
  readonly kind: 'section';
  readonly statement_number: number;
  /** The sum of the lines of the statement before them. */
  readonly sum_before: Money;
}
