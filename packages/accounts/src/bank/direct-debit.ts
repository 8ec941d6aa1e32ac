import type { Money } from '@tallystick/kernel';

/** A direct debit mandate of an account. Unique by account and `mandate_reference`. */
export interface DirectDebit {
  readonly id: number;
  readonly account_id: number;
  /** 1 to 35 characters. */
  readonly mandate_reference: string;
  readonly status: 'active' | 'inactive';
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
