import type { Money } from '@tallystick/kernel';

/** An authorization as reconciliation sees it, in the words of the service. */
export interface ReferenceAuthorization {
  readonly id: number;
  readonly company_id: number;
  readonly card_id: number;
  readonly currency: string;
  readonly authorized: Money;
  readonly status: 'open' | 'cleared' | 'partially_cleared' | 'released' | 'expired';
  readonly uncleared_status: 'open' | 'released' | 'expired' | null;
  readonly hold_end_ms: number | null;
  readonly decided_at_ms: number;
  readonly merchant_name: string | null;
  readonly billing_amount: Money;
  readonly merchant_amount: Money;
  readonly merchant_currency: string;
  readonly approval_code: string | null;
  readonly merchant_id: string | null;
  readonly net_reference_number: string | null;
  readonly transaction_date_time_ms: number;
}

/** A clearing as reconciliation sees it. Purchases positive, credits negative. */
export interface ReferenceClearing {
  readonly id: number;
  readonly company_id: number;
  readonly card_id: number;
  readonly currency: string;
  readonly transaction_id: string;
  readonly authorization_id: number | null;
  readonly clearing_id: number | null;
  readonly cycle: 'first_presentment' | 'reversal' | 'chargeback';
  readonly class:
    | 'reversal'
    | 'dispute'
    | 'exact'
    | 'tip'
    | 'over'
    | 'partial'
    | 'late'
    | 'force_post'
    | 'suspected_duplicate'
    | 'refund_unlinked';
  readonly match_rule: number;
  readonly is_chosen: boolean;
  readonly review: boolean;
  readonly is_tie: boolean;
  readonly partial: boolean;
  readonly amount: Money;
  readonly settlement_date: string;
  readonly acquirer_reference: string | null;
  readonly merchant_name: string | null;
  readonly recorded_at_ms: number;
  readonly merchant_amount: Money | null;
  readonly merchant_currency: string | null;
  readonly approval_code: string | null;
  readonly merchant_id: string | null;
  readonly net_reference_number: string | null;
}

/** A line as reconciliation sees it. Purchases positive, credits negative. */
export interface ReferenceLine {
  readonly id: number;
  readonly company_id: number;
  readonly account_id: number;
  readonly currency: string;
  readonly amount: Money;
  readonly is_fee: boolean;
  readonly bai_code: string;
  readonly booking_date: string;
  readonly bank_reference: string | null;
  readonly acquirer_reference: string | null;
  readonly text: string;
  /** Whether a statement contradicts it, or a person kept it although one does. */
  readonly standing: 'differs' | 'kept' | null;
  readonly statement_line_id: number | null;
  readonly recorded_at_ms: number;
}

/** Everything that the items of a company are made of. */
export interface ReferenceRecords {
  readonly purchases: readonly ReferenceAuthorization[];
  readonly clearings: readonly ReferenceClearing[];
  readonly lines: readonly ReferenceLine[];
}

export interface ReferenceKey {
  readonly kind: 'authorization' | 'clearing' | 'line';
  readonly id: number;
}
