import type { Money } from '@tallystick/kernel';
import type { ReportedLine } from '../statement-line.ts';

/**
 * A booked transaction as Open Banking reads it: a statement line, or a shown transaction. Amounts
 * are in the currency of the account.
 */
export interface BookedTransaction extends ReportedLine {
  /** Unique among the transactions of all accounts, and stable: 1 to 210 characters. */
  readonly transaction_id: string;
  readonly account_id: number;
  /** The booked balance after the transaction; null: not known. */
  readonly balance_after: Money | null;
  readonly merchant_name: string | null;
  /** Four digits. */
  readonly merchant_category_code: string | null;
}

/**
 * A booked transaction that only Open Banking reads: it is no statement line, belongs to no
 * statement, and is no side of an item of reconciliation (decision: sandbox data). Unique by
 * account and `bank_reference`.
 */
export interface ShownTransaction extends Omit<BookedTransaction, 'transaction_id'> {
  readonly id: number;
  readonly bank_reference: string;
  readonly recorded_at_ms: number;
}
