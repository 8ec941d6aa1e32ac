import { day_ms, daysAt } from '@tallystick/velocity';
import { type Authorization, isStandingRoot } from '../records/authorization.ts';
import type { ClearingMessage } from '../records/clearing.ts';
import type { LedgerCard } from '../records/ledger.ts';
import type { EarlierClearings } from './earlier-clearings.ts';
import type { StandingRoots } from './standing-roots.ts';

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

export type MatchCard = Pick<
  LedgerCard,
  'currency' | 'billing_currency' | 'authorization_hold_days' | 'aging_velocity_time_zone'
>;

/** A clearing and what came before it in the canonical order. */
export interface MatchCase {
  readonly message: ClearingFacts;
  readonly card: MatchCard;
  /** May include records that cannot match. */
  readonly authorizations: StandingRoots;
  readonly clearings: EarlierClearings;
  /** The ids of authorizations that a person took the clearing from; absent: of none. */
  readonly barred?: readonly number[] | undefined;
}

export function isSameApprovalCode(
  message: Pick<ClearingMessage, 'approval_code'>,
  other: Pick<ClearingMessage, 'approval_code'>,
): boolean {
  return message.approval_code !== null && message.approval_code === other.approval_code;
}

/** The authorizations whose approval code the clearing bears, in whatever state they are. */
export function rootsWithItsCode({ message, authorizations }: MatchCase): readonly Authorization[] {
  const { approval_code } = message;
  if (approval_code === null) return [];
  return authorizations
    .withCode(approval_code)
    .filter((root) => isSameApprovalCode(message, root) && isStandingRoot(root));
}

export function isSameMerchant(
  message: Pick<ClearingMessage, 'merchant_id'>,
  other: Pick<ClearingMessage, 'merchant_id'>,
): boolean {
  return message.merchant_id !== null && message.merchant_id === other.merchant_id;
}

/**
 * How many days may lie between a settlement date and the date of an authorization, or between two
 * settlement dates, for rules 5 to 7. Times of arrival do not count.
 */
export const match_reach_days = 35;

/** A cleared amount may differ from the authorized one by one part in so many: by 20 %. */
export const match_tolerance_parts = 5;

/** Whether the settlement date of a clearing is near the date of an authorization. */
export function isNearRoot({ settlement_date }: Pick<ClearingFacts, 'settlement_date'>, root: Authorization): boolean {
  return isNear(daysOf(settlement_date), daysAt(root.transaction_date_time_ms));
}

/** Whether the settlement dates of two clearings are near each other. */
export function isNearClearing(
  { settlement_date }: Pick<ClearingFacts, 'settlement_date'>,
  other: Pick<ClearingFacts, 'settlement_date'>,
): boolean {
  return isNear(daysOf(settlement_date), daysOf(other.settlement_date));
}

/** The days from 1970-01-01 to a date. */
export function daysOf(date: string): number {
  return Date.parse(date) / day_ms;
}

/** Whether two days are at most `match_reach_days` apart. */
function isNear(day: number, other: number): boolean {
  return Math.abs(day - other) <= match_reach_days;
}
