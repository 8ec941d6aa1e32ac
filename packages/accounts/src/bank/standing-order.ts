import type { Money } from '@tallystick/kernel';
import type { Creditor } from './creditor.ts';

/** The statuses of a standing order. */
export const standing_order_statuses = ['active', 'inactive'] as const;

export type StandingOrderStatus = (typeof standing_order_statuses)[number];

/**
 * A standing order of an account. Unique by account and `reference`. It is pending while it is
 * active and its next payment is not in the past (service specification 4.5, rule 6).
 */
export interface StandingOrder extends Creditor {
  readonly id: number;
  readonly account_id: number;
  /** The bank's own reference, 1 to 40 characters. */
  readonly reference: string;
  readonly status: StandingOrderStatus;
  /** A frequency of the standard, such as `EvryDay` or `IntrvlMnthDay:01:28`. */
  readonly frequency: string;
  /** What the creditor sees, 1 to 35 characters. */
  readonly payment_reference: string | null;
  /** Dates are YYYY-MM-DD. An amount is null exactly when its date is. */
  readonly first_payment_on: string | null;
  readonly first_payment_amount: Money | null;
  readonly next_payment_on: string | null;
  readonly next_payment_amount: Money | null;
  readonly last_payment_on: string | null;
  readonly last_payment_amount: Money | null;
  readonly final_payment_on: string | null;
  readonly final_payment_amount: Money | null;
  readonly number_of_payments: string | null;
  readonly updated_at_ms: number;
}
