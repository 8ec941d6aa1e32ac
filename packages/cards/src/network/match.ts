import { day_ms, utcDateAt } from '@tallystick/velocity';
import type { Authorization } from './authorization.ts';
import { type Clearing, type ClearingMessage, isDispute } from './clearing.ts';
import { limitAmount } from './decline-reasons.ts';
import type { LedgerCard } from './ledger.ts';
import { localDateAt } from './local-date.ts';
import { cycleDayOf, isWholeNetReference, networkReferenceOf } from './net-reference-number.ts';
import { isRefundRoot, isStandingRoot } from './root.ts';

/**
 * How many days may lie between a settlement date and the date of an authorization, or between two
 * settlement dates, for rules 5 to 7. Times of arrival do not count.
 */
export const match_reach_days = 35;

/**
 * The rules of matching in the order in which they are tried, and what each finds: a clause for the documentation. Rule 0
 * is applied before anything is matched.
 */
export const match_rules = [
  {
    rule: 0,
    meaning: 'a clearing with the same `network_financial_transaction_id`: a duplicate, which changes nothing',
  },
  {
    rule: 1,
    meaning:
      'the clearing that a reversal undoes: by acquirer reference data, approval code, billing amount and currency',
  },
  {
    rule: 2,
    meaning:
      'the clearing that a second presentment or a chargeback disputes: by acquirer reference data and approval code',
  },
  {
    rule: 3,
    meaning:
      'an authorization with the same 13 characters of `net_reference_number` and, when both have one, the same approval code. Of several: one that waits for a clearing, else one whose hold had ended by the settlement date, else another; of several such, the oldest by transaction date, marked for review. In another merchant currency than authorized: marked for review',
  },
  {
    rule: 4,
    meaning:
      'an authorization with the same 6 characters of the network reference and the same approval code, at most one day apart',
  },
  {
    rule: 5,
    meaning: `an authorization with the same approval code and merchant id, an amount within 20 %, at most ${match_reach_days} days from the settlement date`,
  },
  {
    rule: 6,
    meaning: `an authorization with the same merchant id and amount, at most ${match_reach_days} days from the settlement date; marked for review`,
  },
  {
    rule: 7,
    meaning: `of a credit: the one earlier debit clearing of at least its amount with the same acquirer reference data, the same approval code, or the same merchant id and a settlement date at most ${match_reach_days} days apart; if there is none, the credit stands alone`,
  },
  {
    rule: 8,
    meaning:
      'no record was found: the clearing is applied to the card anyway (a force post). Also a reversal of a dispute whose own clearing is not known yet: it changes no balance',
  },
] as const satisfies readonly { readonly rule: number; readonly meaning: string }[];

/** The number of a rule of matching. */
export type MatchRule = (typeof match_rules)[number]['rule'];

/** The record that a clearing belongs to, the rule that found it, and whether it needs review. */
export interface Match {
  readonly rule: MatchRule;
  readonly authorization: Authorization | null;
  /** The earlier clearing that it reverses, disputes or refunds. */
  readonly clearing: Clearing | null;
  /**
   * Needs review by a person: rule 6, several candidates at any rule, another merchant currency at
   * rule 3, a reversal or dispute whose clearing was not found, or a reversal of such a dispute.
   */
  readonly review: boolean;
}

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

/** A clearing and what came before it in the canonical order. */
export interface Case {
  readonly message: ClearingFacts;
  readonly card: LedgerCard;
  /**
   * Authorizations of the card as the earlier clearings left them. May include records that cannot
   * match.
   */
  readonly authorizations: readonly Authorization[];
  /** The earlier clearings, in the canonical order. */
  readonly clearings: readonly Clearing[];
}

/**
 * Finds the record that a clearing belongs to. The rules are tried in order, and the first with
 * exactly one candidate wins. A rule with several candidates leaves the choice to later rules and
 * marks the clearing for review. Only rule 3 chooses among several, because the network made their
 * references.
 */
export function matchClearing(the: Case): Match {
  const { cycle, clearing_type } = the.message;
  let review = false;
  if (cycle !== 'first_presentment') {
    const earlier = cycle === 'reversal' ? findReversible(the) : findDisputable(the);
    const rule = cycle === 'reversal' ? 1 : 2;
    const [only, ...others] = earlier;
    if (only !== undefined && others.length === 0) {
      // The clearing that the dispute waits for may be another one that the reversal fits: not final.
      if (isDispute(only) && only.match_rule !== 2) {
        return { rule: 8, authorization: null, clearing: only, review: true };
      }
      return { rule, authorization: rootOf(the, only), clearing: only, review: false };
    }
    // A dispute without its clearing matches nothing. A reversal without its clearing is treated by
    // its type.
    if (cycle !== 'reversal') return { rule: 8, authorization: null, clearing: null, review: true };
    review = true;
  }
  const roots = the.authorizations.filter((root) => isClearable(the.message, root));
  const [named, ...as_good] = bestOf(
    the,
    roots.filter((root) => isSameNetworkReference(the.message, root)),
  );
  if (named !== undefined) {
    review ||= as_good.length > 0 || isInOtherCurrency(the.message, named);
    return { rule: 3, authorization: named, clearing: null, review };
  }
  for (const { rule, finds } of authorization_rules) {
    const [only, ...others] = roots.filter((root) => finds(the, root));
    if (only !== undefined && others.length === 0) {
      return { rule, authorization: only, clearing: null, review: review || rule === 6 };
    }
    if (others.length > 0) review = true;
  }
  if (clearing_type === 'DEBIT') return { rule: 8, authorization: null, clearing: null, review };
  const [only, ...others] = findRefundable(the);
  if (only === undefined || others.length > 0) {
    return { rule: 7, authorization: null, clearing: null, review: review || others.length > 0 };
  }
  return { rule: 7, authorization: rootOf(the, only), clearing: only, review };
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

/** Whether a cleared amount differs from the authorized one by at most 20 % either way. */
export function isWithinTolerance(cleared: number, authorized: number): boolean {
  return !isAboveTolerance(cleared, authorized) && cleared * 5 >= authorized * 4;
}

function isAboveTolerance(cleared: number, authorized: number): boolean {
  return cleared * 5 > authorized * 6;
}

/**
 * The candidates of rule 3 that a clearing belongs to most likely, oldest first: those that wait
 * for a clearing on its settlement date, else those whose hold had ended by then, else all.
 */
function bestOf({ message, card }: Case, candidates: readonly Authorization[]): readonly Authorization[] {
  if (candidates.length < 2) return candidates;
  const oldest_first = candidates.toSorted(
    (a, b) => a.transaction_date_time_ms - b.transaction_date_time_ms || a.id - b.id,
  );
  const unfinished = oldest_first.filter(isUnfinished);
  const waiting = unfinished.filter((root) => !isHoldOverOn(card, root, message.settlement_date));
  if (waiting.length > 0) return waiting;
  return unfinished.length > 0 ? unfinished : oldest_first;
}

/** Whether the authorization is neither cleared in full nor reversed. */
export function isUnfinished({ status }: Pick<Authorization, 'status'>): boolean {
  return status !== 'cleared' && status !== 'reversed';
}

/**
 * Whether a hold had ended by a settlement date, YYYY-MM-DD: on the local date of its end or later.
 * The zone is that of the card's aging velocity, else UTC.
 */
export function isHoldOverOn(
  { authorization_hold_days, aging_velocity_time_zone }: LedgerCard,
  { hold_end_ms }: Pick<Authorization, 'hold_end_ms'>,
  settlement_date: string,
): boolean {
  if (hold_end_ms === null) return false;
  const zone = authorization_hold_days === null ? null : aging_velocity_time_zone;
  return settlement_date >= (zone === null ? utcDateAt(hold_end_ms) : localDateAt(hold_end_ms, zone));
}

/** Rules 4 to 6: the authorization of a clearing without a whole reference. */
const authorization_rules: readonly {
  readonly rule: MatchRule;
  readonly finds: (the: Case, root: Authorization) => boolean;
}[] = [
  {
    rule: 4,
    finds: ({ message }, root) =>
      networkReferenceOf(message.net_reference_number) !== null &&
      networkReferenceOf(message.net_reference_number) === networkReferenceOf(root.net_reference_number) &&
      isSameApprovalCode(message, root) &&
      isWithinOneDay(message, root),
  },
  {
    rule: 5,
    finds: (the, root) =>
      isSameApprovalCode(the.message, root) &&
      isSameMerchant(the.message, root) &&
      isNear(the.message.settlement_date, dateOf(root)) &&
      isAmountTolerable(the, root),
  },
  {
    rule: 6,
    finds: (the, root) =>
      isSameMerchant(the.message, root) &&
      isNear(the.message.settlement_date, dateOf(root)) &&
      isAwaitingClearing(the.message, root) &&
      amountsOf(the, root).some(({ cleared, authorized }) => cleared === authorized),
  },
];

/** Rule 3: all thirteen characters and, when both have one, the approval code. */
function isSameNetworkReference(message: ReferenceFacts, root: Authorization): boolean {
  return (
    isWholeNetReference(message.net_reference_number) &&
    message.net_reference_number === root.net_reference_number &&
    (message.approval_code === null || root.approval_code === null || message.approval_code === root.approval_code)
  );
}

/**
 * Rule 1: the clearings that a message reversal may undo. Among several, those of the opposite
 * direction.
 */
function findReversible({ message, clearings }: Case): readonly Clearing[] {
  const undone = findUndone(clearings);
  const found = clearings.filter(
    (clearing) =>
      clearing.cycle !== 'reversal' &&
      !undone.has(clearing.id) &&
      isSameAcquirerReference(message, clearing) &&
      message.approval_code === clearing.approval_code &&
      message.billing_amount === clearing.billing_amount &&
      message.billing_currency === clearing.billing_currency,
  );
  if (found.length < 2) return found;
  // The direction of a reversal is opposite to that of its clearing.
  return found.filter(({ clearing_type }) => clearing_type !== message.clearing_type);
}

/**
 * The ids of clearings that a reversal among these undid by rule 1. A reversal whose clearing was not
 * found counts as a credit (rule 7) and undoes nothing.
 */
function findUndone(clearings: readonly Clearing[]): ReadonlySet<number | null> {
  return new Set(
    clearings
      .filter(({ match_rule, cycle }) => match_rule === 1 && cycle === 'reversal')
      .map(({ clearing_id }) => clearing_id),
  );
}

/** Rule 2: the clearings that a second presentment or a chargeback may dispute. */
function findDisputable({ message, clearings }: Case): readonly Clearing[] {
  return clearings.filter(
    (clearing) =>
      clearing.cycle === 'first_presentment' &&
      isSameAcquirerReference(message, clearing) &&
      message.approval_code === clearing.approval_code,
  );
}

/** Rule 7: the clearings that a credit may refund. */
function findRefundable({ message, clearings }: Case): readonly Clearing[] {
  const undone = findUndone(clearings);
  return clearings.filter(
    (clearing) =>
      (isSameAcquirerReference(message, clearing) ||
        isSameApprovalCode(message, clearing) ||
        (isSameMerchant(message, clearing) && isNear(message.settlement_date, clearing.settlement_date))) &&
      !undone.has(clearing.id) &&
      isLargeEnough(message, clearing),
  );
}

function isLargeEnough(message: ClearingFacts, clearing: Clearing): boolean {
  if (clearing.cycle !== 'first_presentment' || clearing.clearing_type !== 'DEBIT') return false;
  const merchant = message.merchant_amount !== null && message.merchant_currency === clearing.merchant_currency;
  return merchant && clearing.merchant_amount !== null
    ? message.merchant_amount <= clearing.merchant_amount
    : message.billing_amount <= clearing.billing_amount;
}

/**
 * Whether the clearing may belong to the authorization at all. A debit never belongs to a refund.
 */
function isClearable(message: Pick<ClearingFacts, 'clearing_type'>, root: Authorization): boolean {
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
  { message, card }: Case,
  root: Authorization,
): readonly { readonly cleared: number; readonly authorized: number }[] {
  const merchant = message.merchant_amount !== null && message.merchant_currency === root.merchant_currency;
  const first = merchant
    ? { cleared: message.merchant_amount, authorized: root.merchant_amount }
    : { cleared: message.billing_amount, authorized: root.billing_amount };
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
  { currency, billing_currency }: LedgerCard,
): number | null {
  if (currency !== null && merchant_currency === currency && merchant_amount !== null) return merchant_amount;
  return currency === null || currency === billing_currency ? billing_amount : null;
}

/**
 * The tolerance of rule 5: 20 % either way. A clearing that others follow or precede is a part of
 * the amount; then only an excess is refused.
 */
function isAmountTolerable(the: Case, root: Authorization): boolean {
  const part = the.message.partial || isClearedInPart(root);
  return amountsOf(the, root).some(({ cleared, authorized }) =>
    part ? !isAboveTolerance(cleared, authorized) : isWithinTolerance(cleared, authorized),
  );
}

function isSameAcquirerReference(
  message: Pick<ClearingMessage, 'acquirer_reference_data'>,
  clearing: Pick<ClearingMessage, 'acquirer_reference_data'>,
): boolean {
  return (
    message.acquirer_reference_data !== null && message.acquirer_reference_data === clearing.acquirer_reference_data
  );
}

function isSameApprovalCode(
  message: Pick<ClearingMessage, 'approval_code'>,
  other: Pick<ClearingMessage, 'approval_code'>,
): boolean {
  return message.approval_code !== null && message.approval_code === other.approval_code;
}

function isSameMerchant(
  message: Pick<ClearingMessage, 'merchant_id'>,
  other: Pick<ClearingMessage, 'merchant_id'>,
): boolean {
  return message.merchant_id !== null && message.merchant_id === other.merchant_id;
}

/** Whether parts of the authorization have cleared, and no final clearing. */
function isClearedInPart({ status, uncleared_status }: Authorization): boolean {
  return status === 'partially_cleared' || (uncleared_status !== null && status !== 'cleared');
}

/** The UTC date of the transaction, YYYY-MM-DD. */
function dateOf({ transaction_date_time_ms }: Pick<Authorization, 'transaction_date_time_ms'>): string {
  return utcDateAt(transaction_date_time_ms);
}

/** Whether two dates, YYYY-MM-DD, are at most `match_reach_days` apart. */
function isNear(date: string, other: string): boolean {
  return Math.abs(daysOf(date) - daysOf(other)) <= match_reach_days;
}

/** Whether the settlement date of a clearing is near the date of an authorization. */
export function isNearRoot({ settlement_date }: Pick<ClearingFacts, 'settlement_date'>, root: Authorization): boolean {
  return isNear(settlement_date, dateOf(root));
}

/** Whether the settlement dates of two clearings are near each other. */
export function isNearClearing(
  { settlement_date }: Pick<ClearingFacts, 'settlement_date'>,
  other: Pick<ClearingFacts, 'settlement_date'>,
): boolean {
  return isNear(settlement_date, other.settlement_date);
}

/** The days from 1970-01-01 to a date. */
export function daysOf(date: string): number {
  return Date.parse(date) / day_ms;
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

/** The root authorization of an earlier clearing, or null. */
function rootOf({ authorizations }: Case, clearing: Clearing): Authorization | null {
  return authorizations.find(({ id }) => id === clearing.authorization_id) ?? null;
}
