import type { Authorization } from './authorization.ts';
import { type Clearing, type ClearingClass, type ClearingMessage, isDispute } from './clearing.ts';
import { isHoldOver } from './hold.ts';
import type { LedgerCard } from './ledger.ts';
import type { Match } from './match.ts';
import { limitAmount } from './reasons.ts';

/** What the class depends on: the match, and the card before the clearing had its effect. */
export interface Classified {
  readonly message: ClearingMessage;
  readonly match: Match;
  readonly card: LedgerCard;
  readonly clearings: readonly Clearing[];
  /** The amount of the clearing in the card's limit currency. */
  readonly amount: number;
  readonly now_ms: number;
}

/**
 * The class of a clearing: the first that applies (decision: matching). Amounts classify and never
 * block.
 */
export function classOf(the: Classified): ClearingClass {
  const { message, match, now_ms } = the;
  const root = match.authorization;
  if (message.cycle === 'reversal') return 'reversal';
  if (isDispute(message)) return 'dispute';
  if (the.clearings.some((clearing) => isSuspectedDuplicate(message, clearing))) return 'suspected_duplicate';
  if (message.clearing_type === 'CREDIT') {
    return root === null && match.clearing === null ? 'refund_unlinked' : 'refund_linked';
  }
  if (root === null) return 'force_post';
  if (isHoldOver(root, now_ms) && (root.status === 'expired' || root.status === 'partially_cleared')) return 'late';
  if (message.partial) return 'partial';
  return classByAmount(the, root);
}

function classByAmount({ message, card, amount }: Classified, root: Authorization): ClearingClass {
  const whole = root.cleared === 0 && root.authorized === limitAmount(card, root);
  const merchant = message.merchant_amount !== null && message.merchant_currency === root.merchant_currency;
  if (whole && merchant) {
    if (message.merchant_amount !== root.merchant_amount) {
      return overOrUnder(message, root, message.merchant_amount, root.merchant_amount);
    }
    return message.billing_amount === root.billing_amount ? 'exact' : 'fx_drift';
  }
  // After parts, increments or partial reversals only the sums are comparable.
  return overOrUnder(message, root, root.cleared + amount, root.authorized);
}

function overOrUnder(
  message: ClearingMessage,
  root: Authorization,
  cleared: number,
  authorized: number,
): ClearingClass {
  if (cleared === authorized) return 'exact';
  if (cleared < authorized) return 'under';
  return (cleared - authorized) * 100 <= authorized * tipPercent(message.mcc ?? root.mcc) ? 'tip' : 'over';
}

const tipped_mccs: ReadonlySet<string> = new Set(['4121', '5812', '5813', '5814', '7230', '7298']);

/** The percentage that a merchant of this category may add as a tip; 0 for none. */
function tipPercent(mcc: string): number {
  if (tipped_mccs.has(mcc)) return 20;
  const lodging = mcc === '7011' || (mcc >= '3501' && mcc <= '3999');
  return lodging ? 15 : 0;
}

/** Whether the message looks like a recorded clearing under another transaction id. */
function isSuspectedDuplicate(message: ClearingMessage, clearing: Clearing): boolean {
  return (
    clearing.cycle === 'first_presentment' &&
    message.acquirer_reference_data !== null &&
    message.acquirer_reference_data === clearing.acquirer_reference_data &&
    message.billing_amount === clearing.billing_amount &&
    message.clearing_type === clearing.clearing_type &&
    message.net_reference_number === clearing.net_reference_number
  );
}
