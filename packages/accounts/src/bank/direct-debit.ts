import type { Money } from '@tallystick/kernel';

/** The statuses of a mandate. */
export const direct_debit_statuses = ['active', 'inactive'] as const;

export type DirectDebitStatus = (typeof direct_debit_statuses)[number];

/** A direct debit mandate of an account. Unique by account and `mandate_reference`. */
export interface DirectDebit {
  readonly id: number;
  readonly account_id: number;
  /** 1 to 35 characters. */
  readonly mandate_reference: string;
  readonly status: DirectDebitStatus;
  /** The creditor, 1 to 70 characters. */
  readonly name: string;
  /** How often it is collected, as the bank names it; null: not known. */
  readonly frequency: string | null;
  /** YYYY-MM-DD; null before the first collection. */
  readonly previous_payment_on: string | null;
  /** Null exactly when `previous_payment_on` is. */
  readonly previous_payment_amount: Money | null;
  readonly updated_at_ms: number;
}
