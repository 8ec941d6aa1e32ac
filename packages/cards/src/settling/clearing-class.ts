import type { EarlierClearings } from '../matching/earlier-clearings.ts';
import { isInOtherCurrency, isUnfinished, isWithinTolerance } from '../matching/match-authorization.ts';
import type { ClearingFacts } from '../matching/match-case.ts';
import type { Match } from '../matching/match-clearing.ts';
import { type Authorization, limitAmount } from '../records/authorization.ts';
import { type Clearing, type ClearingClass, isDispute, sentReferenceOf } from '../records/clearing.ts';
import { isHoldOverOn } from '../records/hold-lifetime.ts';
import type { LedgerCard } from '../records/ledger.ts';

/** What the class depends on: the match, and the card before the clearing had its effect. */
interface Classified {
  readonly message: ClearingFacts;
  readonly match: Match;
  readonly card: LedgerCard;
  readonly clearings: EarlierClearings;
  /** The amount of the clearing in the card's limit currency. */
  readonly amount: number;
}

const tipped_mccs: ReadonlySet<string> = new Set(['4121', '5812', '5813', '5814', '7230', '7298']);
const tip_percent = 20;
const lodging_tip_percent = 15;

/**
 * When a clearing has each class, in the order in which the classes are tried: a clause for the
 * documentation.
 */
export const clearing_class_meanings: Readonly<Record<ClearingClass, string>> = {
  reversal: 'a reversal of an earlier clearing (`cycle`)',
  dispute: 'a second presentment or a chargeback (`cycle`); the balance of the card does not change',
  suspected_duplicate: 'an earlier clearing has the same references, amount and type under another transaction id',
  refund_unlinked: 'a credit that matches no authorization and no earlier clearing',
  refund_linked: 'a credit that matches an authorization or an earlier clearing',
  force_post: 'a debit that matches no authorization',
  late: 'it was settled on a later day than that on which the hold of the authorization ended by itself or by a release',
  partial: 'more clearings of the same authorization follow (`partial`)',
  fx_drift:
    'the merchant amount is the authorized one, the billing amount is not: the exchange rate moved; or the merchant charged in another currency than authorized, and the billing amount differs by at most 20 %',
  exact: 'the cleared amount equals the authorized amount',
  under: 'the cleared amount is below the authorized amount',
  tip: `the cleared amount is above the authorized amount by at most ${tip_percent} % (merchant categories ${[...tipped_mccs].join(', ')}) or ${lodging_tip_percent} % (lodging: 3501 to 3999, 7011)`,
  over: 'the cleared amount is above the authorized amount by more than a tip',
};

/**
 * The class of a clearing: the first that applies (decision: matching). Amounts classify and never
 * block.
 */
export function classOf(input: Classified): ClearingClass {
  const { message, match, card } = input;
  const root = match.authorization;
  if (message.cycle === 'reversal') return 'reversal';
  if (isDispute(message)) return 'dispute';
  if (
    input.clearings
      .withReference(message.acquirer_reference_data)
      .some((clearing) => isSuspectedDuplicate(message, clearing))
  )
    return 'suspected_duplicate';
  if (message.clearing_type === 'CREDIT') {
    return root === null && match.clearing === null ? 'refund_unlinked' : 'refund_linked';
  }
  if (root === null) return 'force_post';
  if (isUnfinished(root) && isHoldOverOn(card, root, message.settlement_date)) return 'late';
  if (message.partial) return 'partial';
  return classByAmount(input, root);
}

function classByAmount({ message, card, amount }: Classified, root: Authorization): ClearingClass {
  // A credit that came before its purchase lowers the sum below 0, and is no part of the purchase.
  const cleared_before = Math.max(0, root.cleared);
  const whole = cleared_before === 0 && root.authorized === limitAmount(card, root);
  const merchant = message.merchant_amount !== null && message.merchant_currency === root.merchant_currency;
  if (whole && merchant) {
    if (message.merchant_amount !== root.merchant_amount) {
      return overOrUnder(message, root, message.merchant_amount, root.merchant_amount);
    }
    return message.billing_amount === root.billing_amount ? 'exact' : 'fx_drift';
  }
  const converted = isInOtherCurrency(message, root);
  if (whole && converted) return classInOtherCurrency(message.billing_amount, root.billing_amount);
  // After parts, increments or partial reversals only the sums are comparable.
  if (converted) return classInOtherCurrency(cleared_before + amount, root.authorized);
  return overOrUnder(message, root, cleared_before + amount, root.authorized);
}

/**
 * The class of a clearing in another merchant currency than authorized, by the amounts in the
 * currency of the card: the rate may move them, so an excess is no tip (decision: matching, rule
 * 3).
 */
function classInOtherCurrency(cleared: number, authorized: number): ClearingClass {
  if (cleared === authorized) return 'exact';
  if (isWithinTolerance(cleared, authorized)) return 'fx_drift';
  return cleared > authorized ? 'over' : 'under';
}

function overOrUnder(message: ClearingFacts, root: Authorization, cleared: number, authorized: number): ClearingClass {
  if (cleared === authorized) return 'exact';
  if (cleared < authorized) return 'under';
  return (cleared - authorized) * 100 <= authorized * tipPercent(message.mcc ?? root.mcc) ? 'tip' : 'over';
}

/** The percentage that a merchant of this category may add as a tip; 0 for none. */
function tipPercent(mcc: string): number {
  if (tipped_mccs.has(mcc)) return tip_percent;
  const lodging = mcc === '7011' || (mcc >= '3501' && mcc <= '3999');
  return lodging ? lodging_tip_percent : 0;
}

/**
 * Whether the message looks like a clearing with its acquirer reference data under another
 * transaction id.
 */
function isSuspectedDuplicate(message: ClearingFacts, clearing: Clearing): boolean {
  return (
    clearing.cycle === 'first_presentment' &&
    message.billing_amount === clearing.billing_amount &&
    message.clearing_type === clearing.clearing_type &&
    message.net_reference_number === sentReferenceOf(clearing)
  );
}
