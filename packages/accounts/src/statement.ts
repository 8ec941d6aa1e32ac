import type { Money } from '@tallystick/kernel';

/** What a statement says of itself, before its lines. */
export interface StatementHead {
  /** `Account.number`. */
  readonly account_number: string;
  /** As stated; null when the file states none. */
  readonly currency: string | null;
  /** The bank's id of the statement; null when the format has none. */
  readonly reference: string | null;
  /** The statement's date, YYYY-MM-DD. */
  readonly as_of: string;
  readonly opening_balance: Money;
  readonly closing_balance: Money;
}

/** What makes a statement the same as one that is known, on one account. */
export type StatementIdentity = Pick<StatementHead, 'reference' | 'as_of' | 'opening_balance' | 'closing_balance'>;

/**
 * A statement that was applied. Its lines lead from its opening to its closing balance, unless a
 * person released it although they do not.
 */
export interface Statement extends StatementIdentity {
  readonly id: number;
  readonly account_id: number;
  readonly company_id: number;
  /**
   * Its place among the statements of its account and date, which rises along the chain. The first
   * that was applied has 0; one that was put before it has a negative number.
   */
  readonly position: number;
  /** The earliest booking date of its lines; null without lines. */
  readonly first_booking_date: string | null;
  /**
   * The first booking date that it covers (`coverageOf`); the last one is its own. Null until its
   * lines are recorded, and of all but the first one of a date.
   */
  readonly covers_from: string | null;
  /** The import that applied it. */
  readonly import_id: number | null;
  readonly recorded_at_ms: number;
}
