import type { Money } from '@tallystick/kernel';
import type { Creditor } from './creditor.ts';

/** The statuses of a scheduled payment. */
export const scheduled_payment_statuses = ['pending', 'executed', 'cancelled'] as const;

export type ScheduledPaymentStatus = (typeof scheduled_payment_statuses)[number];

/** What the date of a scheduled payment means in the standard. */
export const scheduled_types = ['Arrival', 'Execution'] as const;

export type ScheduledType = (typeof scheduled_types)[number];

/**
 * A payment at a later date. Unique by account and `reference`. Only a pending one whose date is
 * not in the past is shown (service specification 4.5, rule 7).
 */
export interface ScheduledPayment extends Creditor {
  readonly id: number;
  readonly account_id: number;
  /** The bank's own reference, 1 to 40 characters. */
  readonly reference: string;
  readonly status: ScheduledPaymentStatus;
  /** YYYY-MM-DD. */
  readonly scheduled_on: string;
  readonly scheduled_type: ScheduledType;
  readonly amount: Money;
  /** What the creditor sees, 1 to 35 characters. */
  readonly payment_reference: string | null;
  readonly updated_at_ms: number;
}
