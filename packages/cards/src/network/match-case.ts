import type { Authorization } from './authorization.ts';
import type { Clearing, ClearingMessage } from './clearing.ts';
import type { LedgerCard } from './ledger.ts';

/** What the rules read of a clearing, as its message sent it. */
export type ClearingFacts = Pick<
  ClearingMessage,
  | 'network_financial_transaction_id'
  | 'cycle'
  | 'clearing_type'
  | 'partial'
  | 'billing_amount'
  | 'billing_currency'
  | 'merchant_amount'
  | 'merchant_currency'
  | 'acquirer_reference_data'
  | 'approval_code'
  | 'net_reference_number'
  | 'merchant_id'
  | 'mcc'
  | 'settlement_date'
  | 'authorization_date'
>;

/** What the rules read of a card. */
export type MatchCard = Pick<
  LedgerCard,
  'currency' | 'billing_currency' | 'authorization_hold_days' | 'aging_velocity_time_zone'
>;

/** A clearing and what came before it in the canonical order. */
export interface Case {
  readonly message: ClearingFacts;
  readonly card: MatchCard;
  /**
   * Authorizations of the card as the earlier clearings left them. May include records that cannot
   * match.
   */
  readonly authorizations: readonly Authorization[];
  /** The earlier clearings, in the canonical order. */
  readonly clearings: readonly Clearing[];
  /** The ids of authorizations that a person took the clearing from; absent: of none. */
  readonly barred?: readonly number[] | undefined;
}

/** Whether both have an approval code, and it is the same. */
export function isSameApprovalCode(
  message: Pick<ClearingMessage, 'approval_code'>,
  other: Pick<ClearingMessage, 'approval_code'>,
): boolean {
  return message.approval_code !== null && message.approval_code === other.approval_code;
}

/** Whether both have a merchant id, and it is the same. */
export function isSameMerchant(
  message: Pick<ClearingMessage, 'merchant_id'>,
  other: Pick<ClearingMessage, 'merchant_id'>,
): boolean {
  return message.merchant_id !== null && message.merchant_id === other.merchant_id;
}
