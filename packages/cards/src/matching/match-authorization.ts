import { day_ms } from '@tallystick/velocity';
import {
  type Authorization,
  isRefundRoot,
  isStandingRoot,
  limitAmount,
  unclearedStatusOf,
} from '../records/authorization.ts';
import type { ClearingMessage } from '../records/clearing.ts';
import { isHoldOverOn } from '../records/hold-lifetime.ts';
import type { LedgerCard } from '../records/ledger.ts';
import {
  type ClearingFacts,
  daysOf,
  isNearRoot,
  isSameApprovalCode,
  isSameMerchant,
  type MatchCase,
  match_tolerance_parts,
  rootsWithItsCode,
} from './match-case.ts';
import { comparedAmounts } from './match-evidence.ts';
import type { MatchRule } from './match-rules.ts';
import { cycleDayOf, isWholeNetReference, networkReferenceOf } from './net-reference-number.ts';

/** What a rule reads of a clearing to compare it with one authorization. */
type RuleCase = Pick<MatchCase, 'message' | 'card' | 'barred'>;

interface FoundAuthorization {
  /** Null: they find none. */
  readonly by: { readonly rule: MatchRule; readonly authorization: Authorization } | null;
  /** A rule had several candidates, or the one that it found is not certain. */
  readonly review: boolean;
}

/**
 * Finds the authorization that a clearing belongs to: rules 3 to 6. When the clearing bears the
 * approval code of some, it is never the clearing of another: not of one without a code of its own,
 * which is not decided yet, and not of one with the same merchant and amount.
 */
export function findAuthorization(input: MatchCase): FoundAuthorization {
  const { message, authorizations } = input;
  const coded = rootsWithItsCode(input);
  const has_code = coded.length > 0;
  const isFound = (root: Authorization, finds: AuthorizationRule['finds']) =>
    finds(input, root) && isAllowed(input, root);
  const referenced = has_code ? coded : authorizations.withReference(message.net_reference_number);
  const [named, ...as_good] = bestOf(
    input,
    isWholeNetReference(message.net_reference_number) ? referenced.filter((root) => isFound(root, isNamed)) : [],
  );
  if (named !== undefined) {
    const review = as_good.length > 0 || isInOtherCurrency(message, named);
    return { by: { rule: 3, authorization: named }, review };
  }
  const roots = has_code ? coded : authorizations.withAmount(message);
  let review = false;
  for (const { rule, finds } of has_code ? authorization_rules : rules_without_code) {
    const first_at = roots.findIndex((root) => isFound(root, finds));
    if (first_at < 0) continue;
    if (!roots.some((root, at) => at > first_at && isFound(root, finds))) {
      return { by: { rule, authorization: roots[first_at]! }, review: review || rule === 6 };
    }
    review = true;
  }
  return { by: null, review };
}

/** The rules that find an authorization by what the clearing has in common with it. */
export type CandidateRule = 3 | 4 | 5 | 6;

/**
 * The first of rules 3 to 6 that finds this authorization; null: none does. For a person to choose
 * from: also when the clearing bears the approval code of another.
 */
export function ruleFor(input: RuleCase, root: Authorization): CandidateRule | null {
  if (!isAllowed(input, root)) return null;
  if (isSameNetworkReference(input.message, root)) return 3;
  return authorization_rules.find(({ finds }) => finds(input, root))?.rule ?? null;
}

function isAllowed({ message, barred = [] }: RuleCase, root: Authorization): boolean {
  return isClearable(message, root) && !barred.includes(root.id);
}

/**
 * Whether rule 3 settles the match, given all roots of the card that share a reference with the
 * message. Then no later rule is tried, and the recent history of the card need not be read.
 */
export function isSettledByReference(message: ReferenceFacts, roots: Iterable<Authorization>): boolean {
  for (const root of roots) if (isClearable(message, root) && isSameNetworkReference(message, root)) return true;
  return false;
}

type ReferenceFacts = Pick<ClearingFacts, 'clearing_type' | 'net_reference_number' | 'approval_code'>;

/**
 * Whether the merchant charged in another currency than authorized (dynamic currency conversion).
 */
export function isInOtherCurrency(
  { merchant_currency }: Pick<ClearingMessage, 'merchant_currency'>,
  root: Pick<Authorization, 'merchant_currency'>,
): boolean {
  return merchant_currency !== null && merchant_currency !== root.merchant_currency;
}

/** Whether a cleared amount differs from the authorized one by at most the tolerance. */
export function isWithinTolerance(cleared: number, authorized: number): boolean {
  return (
    !isAboveTolerance(cleared, authorized) &&
    cleared * match_tolerance_parts >= authorized * (match_tolerance_parts - 1)
  );
}

function isAboveTolerance(cleared: number, authorized: number): boolean {
  return cleared * match_tolerance_parts > authorized * (match_tolerance_parts + 1);
}

/**
 * The candidates of rule 3 that a clearing belongs to most likely, oldest first: those that wait
 * for a clearing on its settlement date, else those whose hold had ended by then, else all.
 */
function bestOf({ message, card }: RuleCase, candidates: readonly Authorization[]): readonly Authorization[] {
  if (candidates.length < 2) return candidates;
  const oldest_first = candidates.toSorted(
    (a, b) => a.transaction_date_time_ms - b.transaction_date_time_ms || a.id - b.id,
  );
  const unfinished = oldest_first.filter(isUnfinished);
  const waiting = unfinished.filter((root) => !isHoldOverOn(card, root, message.settlement_date));
  if (waiting.length > 0) return waiting;
  return unfinished.length > 0 ? unfinished : oldest_first;
}

/**
 * Whether the authorization is neither cleared in full nor reversed. One that was reversed counts as
 * reversed whether or not its hold had ended, and whatever parts have cleared since.
 */
export function isUnfinished(root: Pick<Authorization, 'status' | 'uncleared_status'>): boolean {
  return root.status !== 'cleared' && unclearedStatusOf(root) !== 'reversed';
}

interface AuthorizationRule {
  readonly rule: CandidateRule;
  readonly finds: (input: RuleCase, root: Authorization) => boolean;
}

/** Rules 4 to 6: the authorization of a clearing without a whole reference. */
const authorization_rules: readonly AuthorizationRule[] = [
  {
    rule: 4,
    finds: ({ message }, root) =>
      isSameApprovalCode(message, root) &&
      networkReferenceOf(message.net_reference_number) !== null &&
      networkReferenceOf(message.net_reference_number) === networkReferenceOf(root.net_reference_number) &&
      isWithinOneDay(message, root),
  },
  {
    rule: 5,
    finds: (input, root) =>
      isSameApprovalCode(input.message, root) &&
      isSameMerchant(input.message, root) &&
      isNearRoot(input.message, root) &&
      isAmountTolerable(input, root),
  },
  {
    rule: 6,
    finds: (input, root) =>
      isSameMerchant(input.message, root) &&
      isAwaitingClearing(input.message, root) &&
      isNearRoot(input.message, root) &&
      amountsOf(input, root).some(({ cleared, authorized }) => cleared === authorized),
  },
];

/** The rule of clearings that bear the approval code of no authorization. */
const rules_without_code = authorization_rules.filter(({ rule }) => rule === 6);

function isNamed({ message }: RuleCase, root: Authorization): boolean {
  return isSameNetworkReference(message, root);
}

/** Rule 3: all thirteen characters and, when both have one, the approval code. */
function isSameNetworkReference(message: ReferenceFacts, root: Authorization): boolean {
  return (
    message.net_reference_number === root.net_reference_number &&
    isWholeNetReference(message.net_reference_number) &&
    (message.approval_code === null || root.approval_code === null || message.approval_code === root.approval_code)
  );
}

/**
 * Whether the clearing may belong to the authorization at all. A debit never belongs to a refund.
 */
export function isClearable(message: Pick<ClearingFacts, 'clearing_type'>, root: Authorization): boolean {
  if (!isStandingRoot(root)) return false;
  return message.clearing_type === 'CREDIT' || !isRefundRoot(root);
}

/**
 * Whether the authorization still waits for a clearing; for a credit, whether there is an amount to
 * refund.
 */
function isAwaitingClearing(message: ClearingFacts, root: Authorization): boolean {
  if (message.clearing_type === 'CREDIT') return isRefundRoot(root) ? root.status === 'open' : root.cleared > 0;
  return isUnfinished(root);
}

/**
 * The pairs of amounts to compare: cleared and authorized. Merchant amounts come first, because no
 * exchange rate affects them. An authorization that was increased or reversed in part is compared
 * by either amount.
 */
function amountsOf(
  { message, card }: RuleCase,
  root: Authorization,
): readonly { readonly cleared: number; readonly authorized: number }[] {
  const first = comparedAmounts(message, root);
  const limit = limitAmountSent(message, card);
  if (limit === null || root.authorized === limitAmount(card, root) || root.authorized === 0) return [first];
  return [first, { cleared: limit, authorized: root.authorized }];
}

/**
 * The amount that the clearing names in the currency of the card's limits; null when it names none.
 */
export function limitAmountSent(
  {
    billing_amount,
    merchant_amount,
    merchant_currency,
  }: Pick<ClearingFacts, 'billing_amount' | 'merchant_amount' | 'merchant_currency'>,
  { currency, billing_currency }: Pick<LedgerCard, 'currency' | 'billing_currency'>,
): number | null {
  if (currency !== null && merchant_currency === currency && merchant_amount !== null) return merchant_amount;
  return currency === null || currency === billing_currency ? billing_amount : null;
}

/**
 * The tolerance of rule 5: 20 % either way. A clearing that others follow or precede is a part of
 * the amount; then only an excess is refused.
 */
function isAmountTolerable(input: RuleCase, root: Authorization): boolean {
  const part = input.message.partial || isClearedInPart(root);
  return amountsOf(input, root).some(({ cleared, authorized }) =>
    part ? !isAboveTolerance(cleared, authorized) : isWithinTolerance(cleared, authorized),
  );
}

/** Whether parts of the authorization have cleared, and no final clearing. */
function isClearedInPart({ status, uncleared_status }: Authorization): boolean {
  return uncleared_status !== null && status !== 'cleared';
}

/** Whether the clearing names the day of the authorization, the previous or the next. */
function isWithinOneDay(message: ClearingFacts, root: Authorization): boolean {
  if (message.authorization_date !== null) {
    const day = Math.floor(root.transaction_date_time_ms / day_ms);
    return Math.abs(daysOf(message.authorization_date) - day) <= 1;
  }
  const cleared_day = cycleDayOf(message.net_reference_number);
  const authorized_day = cycleDayOf(root.net_reference_number);
  if (cleared_day === null || authorized_day === null) return false;
  const apart = Math.abs(cleared_day - authorized_day);
  return Math.min(apart, 366 - apart) <= 1;
}
