import type { AuthorizationStatus, Clearing, ClearingClass, ClearingCycle } from '@tallystick/cards';
import type { Money } from '@tallystick/kernel';

/**
 * An approved authorization with its increments and reversals, as reconciliation sees it. Amounts
 * in the billing currency, purchases positive.
 */
export interface AuthorizedPurchase {
  readonly id: number;
  readonly company_id: number;
  readonly card_id: number;
  readonly currency: string;
  /** The authorized sum: the root's, plus increments, less reversals. */
  readonly authorized: Money;
  readonly status: AuthorizationStatus;
  /** The status without its clearings; null while no clearing has changed the status. */
  readonly uncleared_status: AuthorizationStatus | null;
  /** When its hold ends; null when it never held an amount or its company's holds never end. */
  readonly hold_end_ms: number | null;
  readonly decided_at_ms: number;
  readonly merchant_name: string | null;
  // What matching compares, as the authorization has it.
  readonly billing_amount: Money;
  readonly merchant_amount: Money;
  readonly merchant_currency: string;
  readonly approval_code: string | null;
  readonly merchant_id: string | null;
  readonly net_reference_number: string | null;
  readonly transaction_date_time_ms: number;
}

/** A clearing as reconciliation sees it. */
export interface ClearedAmount {
  readonly id: number;
  readonly company_id: number;
  readonly card_id: number;
  readonly currency: string;
  readonly transaction_id: string;
  readonly authorization_id: number | null;
  /** The earlier clearing that it reverses, disputes or refunds, or null. */
  readonly clearing_id: number | null;
  readonly cycle: ClearingCycle;
  readonly class: ClearingClass;
  readonly match_rule: number;
  /** Whether a person chose its authorization, or confirmed it. */
  readonly is_chosen: boolean;
  /** The match is not certain (cards: `Clearing.review`). */
  readonly review: boolean;
  /** Several records fitted it equally well, so that none was taken: see `isTie`. */
  readonly is_tie: boolean;
  readonly partial: boolean;
  /** The signed billing amount: purchases positive, credits negative. */
  readonly amount: Money;
  /** YYYY-MM-DD. */
  readonly settlement_date: string;
  readonly acquirer_reference: string | null;
  /** `statementKeyOf` the reference, by the setting of the installation. */
  readonly statement_key: string | null;
  readonly merchant_name: string | null;
  readonly recorded_at_ms: number;
  // What matching compares, as the message sent it.
  readonly merchant_amount: Money | null;
  readonly merchant_currency: string | null;
  readonly approval_code: string | null;
  readonly merchant_id: string | null;
  readonly net_reference_number: string | null;
}

/**
 * Whether a clearing stands alone because several records fitted it: then it is for review although
 * it is no reversal or dispute, and although its amount in the currency of its card's limits is
 * known (cards: `Clearing.review`).
 */
export function isTie(
  clearing: Pick<
    Clearing,
    'review' | 'cycle' | 'authorization_id' | 'clearing_id' | 'merchant_currency' | 'billing_currency'
  >,
  { limit_currency }: { readonly limit_currency: string | null },
): boolean {
  const { review, cycle, authorization_id, clearing_id, merchant_currency, billing_currency } = clearing;
  if (!review || cycle !== 'first_presentment' || authorization_id !== null || clearing_id !== null) return false;
  return limit_currency === null || limit_currency === billing_currency || limit_currency === merchant_currency;
}

/** A closed group of records: everything that any of them may be in one item with. */
export interface ReconciliationRecords {
  readonly purchases: readonly AuthorizedPurchase[];
  readonly clearings: readonly ClearedAmount[];
  readonly lines: readonly CardLine[];
}

/** A card line of a statement as reconciliation sees it. */
export interface CardLine {
  readonly id: number;
  readonly company_id: number;
  readonly account_id: number;
  readonly currency: string;
  /** Less the line's signed amount: purchases positive, credits negative. */
  readonly amount: Money;
  readonly is_fee: boolean;
  readonly bai_code: string;
  /** YYYY-MM-DD. */
  readonly booking_date: string;
  /** The bank's own reference, or null. Orders equal lines whenever they arrived. */
  readonly bank_reference: string | null;
  readonly acquirer_reference: string | null;
  /** `statementKeyOf` the reference, by the setting of the installation. */
  readonly statement_key: string | null;
  readonly text: string;
  readonly recorded_at_ms: number;
}
