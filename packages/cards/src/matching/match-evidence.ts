import { utcDateAt } from '@tallystick/velocity';
import type { Authorization } from '../records/authorization.ts';
import { type ClearingFacts, daysOf } from './match-case.ts';
import { isWholeNetReference, networkReferenceOf } from './net-reference-number.ts';

/** The values that rules 3 to 6 compare of a clearing and an authorization, for people. */
export interface MatchEvidence {
  /** The amounts that are compared, minor units of `currency`. */
  readonly cleared: number;
  readonly authorized: number;
  readonly currency: string;
  /** What both have alike; null when they differ or one has none. */
  readonly approval_code: string | null;
  readonly merchant_id: string | null;
  /** All 13 characters of `net_reference_number`, else the 6 that the network assigned. */
  readonly network_reference: string | null;
  /** The UTC date of the authorization, YYYY-MM-DD. */
  readonly authorization_date: string;
  /** From the authorization to the settlement; negative when it settled before. */
  readonly days: number;
}

type AmountsOfClearing = Pick<
  ClearingFacts,
  'billing_amount' | 'billing_currency' | 'merchant_amount' | 'merchant_currency'
>;

type AmountsOfRoot = Pick<Authorization, 'billing_amount' | 'merchant_amount' | 'merchant_currency'>;

/** The fields of a clearing, as its message sent them. */
type EvidenceOfClearing = AmountsOfClearing &
  Pick<ClearingFacts, 'approval_code' | 'merchant_id' | 'net_reference_number' | 'settlement_date'>;

type EvidenceOfRoot = AmountsOfRoot &
  Pick<Authorization, 'approval_code' | 'merchant_id' | 'net_reference_number' | 'transaction_date_time_ms'>;

export function evidenceOf(clearing: EvidenceOfClearing, root: EvidenceOfRoot): MatchEvidence {
  const authorization_date = utcDateAt(root.transaction_date_time_ms);
  return {
    ...comparedAmounts(clearing, root),
    approval_code: clearing.approval_code === root.approval_code ? root.approval_code : null,
    merchant_id: clearing.merchant_id === root.merchant_id ? root.merchant_id : null,
    network_reference: commonReference(clearing.net_reference_number, root.net_reference_number),
    authorization_date,
    days: daysOf(clearing.settlement_date) - daysOf(authorization_date),
  };
}

/** The amounts to compare: those of the merchant, because no exchange rate affects them. */
export function comparedAmounts(
  { billing_amount, billing_currency, merchant_amount, merchant_currency }: AmountsOfClearing,
  root: AmountsOfRoot,
): Pick<MatchEvidence, 'cleared' | 'authorized' | 'currency'> {
  return merchant_amount !== null && merchant_currency === root.merchant_currency
    ? { cleared: merchant_amount, authorized: root.merchant_amount, currency: merchant_currency }
    : { cleared: billing_amount, authorized: root.billing_amount, currency: billing_currency };
}

function commonReference(one: string | null, other: string | null): string | null {
  if (isWholeNetReference(one) && one === other) return one;
  const reference = networkReferenceOf(one);
  return reference === networkReferenceOf(other) ? reference : null;
}
