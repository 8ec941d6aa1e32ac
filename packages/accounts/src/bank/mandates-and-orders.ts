import type { Money } from '@tallystick/kernel';

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

/** Who receives a standing order or a scheduled payment. */
export interface Creditor {
  readonly creditor_scheme_name: string;
  /** 1 to 256 characters. */
  readonly creditor_identification: string;
  /** 1 to 350 characters. */
  readonly creditor_name: string | null;
}

/** A payment that an account makes later. Unique by account and `reference`. */
interface PaymentOrder extends Creditor {
  readonly id: number;
  readonly account_id: number;
  /** The bank's own reference, 1 to 40 characters. */
  readonly reference: string;
  /** What the creditor sees, 1 to 35 characters. */
  readonly payment_reference: string | null;
  readonly updated_at_ms: number;
}

export const standing_order_statuses = ['active', 'inactive'] as const;

export type StandingOrderStatus = (typeof standing_order_statuses)[number];

/**
 * A standing order. It is pending while it is active and its next payment is not in the past
 * (service specification 4.5, rule 6).
 */
export interface StandingOrder extends PaymentOrder {
  readonly status: StandingOrderStatus;
  /** A frequency of the standard, such as `EvryDay` or `IntrvlMnthDay:01:28`. */
  readonly frequency: string;
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
}

export const scheduled_payment_statuses = ['pending', 'executed', 'cancelled'] as const;

export type ScheduledPaymentStatus = (typeof scheduled_payment_statuses)[number];

/** What the date of a scheduled payment means in the standard. */
export const scheduled_types = ['Arrival', 'Execution'] as const;

export type ScheduledType = (typeof scheduled_types)[number];

/**
 * A payment at one later date. Only a pending one whose date is not in the past is shown (service
 * specification 4.5, rule 7).
 */
export interface ScheduledPayment extends PaymentOrder {
  readonly status: ScheduledPaymentStatus;
  /** YYYY-MM-DD. */
  readonly scheduled_on: string;
  readonly scheduled_type: ScheduledType;
  readonly amount: Money;
}
