import type { Payload } from '@tallystick/events';
import type { Money } from '@tallystick/kernel';

export const clearing_types = ['DEBIT', 'CREDIT'] as const;

export type ClearingType = (typeof clearing_types)[number];

/**
 * Where a clearing stands in the life of its transaction. All but a first presentment refer to an earlier clearing: a
 * reversal undoes it, a second presentment or a chargeback disputes it.
 */
export const clearing_cycles = ['first_presentment', 'second_presentment', 'chargeback', 'reversal'] as const;

export type ClearingCycle = (typeof clearing_cycles)[number];

/** Whether the clearing is part of a dispute: it is recorded against an earlier clearing and leaves the balance alone. */
export function isDispute({ cycle }: { readonly cycle: ClearingCycle }): boolean {
  return cycle === 'second_presentment' || cycle === 'chargeback';
}

/** One class per clearing, the first that applies (decision: matching). `dispute`: second presentments and chargebacks. */
export type ClearingClass =
  | 'reversal'
  | 'suspected_duplicate'
  | 'refund_linked'
  | 'refund_unlinked'
  | 'force_post'
  | 'late'
  | 'partial'
  | 'fx_drift'
  | 'exact'
  | 'tip'
  | 'over'
  | 'under'
  | 'dispute';

/** A clearing as it comes from the network or a file, checked and normalised. Amounts in minor units. */
export interface ClearingMessage {
  readonly kind: 'clearing';
  /** Exactly one of the two is set. */
  readonly number_index: Uint8Array | null;
  readonly vcn_id: number | null;
  readonly network_financial_transaction_id: string;
  readonly cycle: ClearingCycle;
  readonly clearing_type: ClearingType;
  /** More clearings of the same authorization follow. */
  readonly partial: boolean;
  readonly billing_amount: Money;
  readonly billing_currency: string;
  readonly merchant_amount: Money | null;
  readonly merchant_currency: string | null;
  readonly acquirer_reference_data: string | null;
  readonly approval_code: string | null;
  readonly net_reference_number: string | null;
  readonly merchant_id: string | null;
  readonly mcc: string | null;
  /** YYYY-MM-DD. */
  readonly settlement_date: string;
  /** YYYY-MM-DD, or null. */
  readonly authorization_date: string | null;
  /** The other fields of service specification 2.10, as sent. No number. */
  readonly details: Payload;
  readonly request_id: string | null;
}

/** A clearing as recorded on a card, with what it did and why. */
export interface Clearing extends Omit<ClearingMessage, 'kind' | 'number_index' | 'vcn_id'> {
  readonly id: number;
  readonly company_id: number;
  readonly card_id: number;
  readonly recorded_at_ms: number;
  /** The root authorization it was matched to, or null. */
  readonly authorization_id: number | null;
  /** The earlier clearing that it reverses, disputes or refunds, or null. */
  readonly clearing_id: number | null;
  /** Rule 1..8 that matched it (decision: matching). */
  readonly match_rule: number;
  /** Rule 6 or a tie: a person should look. */
  readonly review: boolean;
  readonly class: ClearingClass;
  /** The window it counts in. */
  readonly window_start_ms: number;
  /** What it added to the cleared amount of that window (negative for credits; capped so that the window's never falls below 0). */
  readonly cleared_effect: Money;
  /** What it took off the hold of its authorization, 0 or more. */
  readonly hold_effect: Money;
  /** 1 when it counts as a use of its window: a forced debit. */
  readonly uses: 0 | 1;
}
