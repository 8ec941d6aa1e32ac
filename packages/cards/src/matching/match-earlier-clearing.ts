import type { Clearing, ClearingMessage } from '../records/clearing.ts';
import {
  type ClearingFacts,
  isNearClearing,
  isSameApprovalCode,
  isSameMerchant,
  type MatchCase,
  rootsWithItsCode,
} from './match-case.ts';

/**
 * Rule 1: the clearings that a message reversal may undo. Among several, those of the opposite
 * type, if there are any. Of equal ones the newest in the canonical order, a suspected duplicate
 * first: it is the one that should not have been there.
 */
export function findReversible({ message, clearings }: MatchCase): readonly Clearing[] {
  const found = clearings
    .withReference(message.acquirer_reference_data)
    .filter(
      (clearing) =>
        clearing.cycle !== 'reversal' &&
        !clearings.isUndone(clearing.id) &&
        message.approval_code === clearing.approval_code &&
        message.billing_amount === clearing.billing_amount &&
        message.billing_currency === clearing.billing_currency,
    );
  const opposite = found.filter(({ clearing_type }) => clearing_type !== message.clearing_type);
  const fitting = opposite.length > 0 ? opposite : found;
  const newest = fitting.findLast((one) => one.class === 'suspected_duplicate') ?? fitting.at(-1);
  return newest !== undefined && fitting.every(({ cycle }) => cycle === newest.cycle) ? [newest] : fitting;
}

/** Rule 2: the clearings that a second presentment or a chargeback may dispute. */
export function findDisputable({ message, clearings }: MatchCase): readonly Clearing[] {
  return clearings
    .withReference(message.acquirer_reference_data)
    .filter(({ cycle, approval_code }) => cycle === 'first_presentment' && message.approval_code === approval_code);
}

/**
 * Rule 7: the clearings that a credit may refund, two of them when there are more. None of an
 * authorization that it was taken from, and when it bears the approval code of an authorization,
 * none of another one.
 */
export function findRefundable(input: MatchCase): readonly Clearing[] {
  const { message, clearings, barred = [] } = input;
  const coded = new Set<number | null>(rootsWithItsCode(input).map(({ id }) => id));
  const isOfAnother = (root_id: number | null) => root_id !== null && coded.size > 0 && !coded.has(root_id);
  return clearings.all
    .values()
    .filter(
      (clearing) =>
        isLargeEnough(message, clearing) &&
        (isSameAcquirerReference(message, clearing) ||
          isSameApprovalCode(message, clearing) ||
          (isSameMerchant(message, clearing) && isNearClearing(message, clearing))) &&
        !clearings.isUndone(clearing.id) &&
        !barred.some((id) => id === clearing.authorization_id) &&
        !isOfAnother(clearing.authorization_id),
    )
    .take(2)
    .toArray();
}

function isLargeEnough(message: ClearingFacts, clearing: Clearing): boolean {
  if (clearing.cycle !== 'first_presentment' || clearing.clearing_type !== 'DEBIT') return false;
  const merchant = message.merchant_amount !== null && message.merchant_currency === clearing.merchant_currency;
  return merchant && clearing.merchant_amount !== null
    ? message.merchant_amount <= clearing.merchant_amount
    : message.billing_amount <= clearing.billing_amount;
}

function isSameAcquirerReference(
  message: Pick<ClearingMessage, 'acquirer_reference_data'>,
  clearing: Pick<ClearingMessage, 'acquirer_reference_data'>,
): boolean {
  return (
    message.acquirer_reference_data !== null && message.acquirer_reference_data === clearing.acquirer_reference_data
  );
}
