import { day_ms } from '@tallystick/velocity';
import type { Authorization, AuthorizationStatus } from './authorization.ts';
import type { Clearing, ClearingMessage } from './clearing.ts';
import { limitAmount } from './decline-reasons.ts';
import { isRefundRoot, isStandingRoot } from './hold.ts';
import type { LedgerCard } from './ledger.ts';
import { cycleDayOf, isWholeNetReference, networkReferenceOf } from './net-reference-number.ts';

/**
 * How far back rules 5 to 7 search for an authorization or a clearing of the same merchant, in
 * days.
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
      'an authorization with the same 13 characters of `net_reference_number` and, when both have one, the same approval code. Of several: one that is open or partially cleared, else one that expired or was released, else another; of several such, the oldest, marked for review. In another merchant currency than authorized: marked for review',
  },
  {
    rule: 4,
    meaning:
      'an authorization with the same 6 characters of the network reference and the same approval code, at most one day apart',
  },
  {
    rule: 5,
    meaning: `an authorization with the same approval code and merchant id, an amount within 20 %, at most ${match_reach_days} days old`,
  },
  {
    rule: 6,
    meaning: `an authorization with the same merchant id and amount, at most ${match_reach_days} days old; marked for review`,
  },
  {
    rule: 7,
    meaning: `of a credit: the one earlier debit clearing of at least its amount with the same acquirer reference data, the same approval code, or the same merchant id and at most ${match_reach_days} days old; if there is none, the credit stands alone`,
  },
  { rule: 8, meaning: 'no record was found: the clearing is applied to the card anyway (a force post)' },
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
   * rule 3, or a reversal or dispute whose clearing was not found.
   */
  readonly review: boolean;
}

/** A clearing and the known history of its card. */
export interface Case {
  readonly message: ClearingMessage;
  readonly card: LedgerCard;
  /**
   * Recorded messages of the card in the order of their ids. May include records that cannot match.
   */
  readonly authorizations: readonly Authorization[];
  readonly clearings: readonly Clearing[];
  readonly now_ms: number;
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
      return { rule, authorization: rootOf(the, only), clearing: only, review: false };
    }
    // A dispute without its clearing matches nothing. A reversal without its clearing is treated by
    // its type.
    if (cycle !== 'reversal') return { rule: 8, authorization: null, clearing: null, review: true };
    review = true;
  }
  const roots = the.authorizations.filter((root) => isClearable(the.message, root));
  const [named, ...as_good] = bestOf(roots.filter((root) => isSameNetworkReference(the.message, root)));
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
export function isSettledByReference(message: ClearingMessage, roots: readonly Authorization[]): boolean {
  return roots.some((root) => isClearable(message, root) && isSameNetworkReference(message, root));
}

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
 * for a clearing, else those whose hold ended without one, else all.
 */
function bestOf(candidates: readonly Authorization[]): readonly Authorization[] {
  const groups: readonly (readonly AuthorizationStatus[])[] = [
    ['open', 'partially_cleared'],
    ['expired', 'released'],
  ];
  for (const statuses of groups) {
    const group = candidates.filter(({ status }) => statuses.includes(status));
    if (group.length > 0) return group;
  }
  return candidates;
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
      isRecent(root.decided_at_ms, the.now_ms) &&
      isAmountTolerable(the, root),
  },
  {
    rule: 6,
    finds: (the, root) =>
      isSameMerchant(the.message, root) &&
      isRecent(root.decided_at_ms, the.now_ms) &&
      isAwaitingClearing(the.message, root) &&
      amountsOf(the, root).some(({ cleared, authorized }) => cleared === authorized),
  },
];

/** Rule 3: all thirteen characters and, when both have one, the approval code. */
function isSameNetworkReference(message: ClearingMessage, root: Authorization): boolean {
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
function findRefundable({ message, clearings, now_ms }: Case): readonly Clearing[] {
  const undone = findUndone(clearings);
  return clearings.filter(
    (clearing) =>
      (isSameAcquirerReference(message, clearing) ||
        isSameApprovalCode(message, clearing) ||
        (isSameMerchant(message, clearing) && isRecent(clearing.recorded_at_ms, now_ms))) &&
      !undone.has(clearing.id) &&
      isLargeEnough(message, clearing),
  );
}

function isLargeEnough(message: ClearingMessage, clearing: Clearing): boolean {
  if (clearing.cycle !== 'first_presentment' || clearing.clearing_type !== 'DEBIT') return false;
  const merchant = message.merchant_amount !== null && message.merchant_currency === clearing.merchant_currency;
  return merchant && clearing.merchant_amount !== null
    ? message.merchant_amount <= clearing.merchant_amount
    : message.billing_amount <= clearing.billing_amount;
}

/**
 * Whether the clearing may belong to the authorization at all. A debit never belongs to a refund.
 */
function isClearable(message: ClearingMessage, root: Authorization): boolean {
  if (!isStandingRoot(root)) return false;
  return message.clearing_type === 'CREDIT' || !isRefundRoot(root);
}

/**
 * Whether the authorization still waits for a clearing; for a credit, whether there is an amount to
 * refund.
 */
function isAwaitingClearing(message: ClearingMessage, root: Authorization): boolean {
  if (message.clearing_type === 'CREDIT') return isRefundRoot(root) ? root.status === 'open' : root.cleared > 0;
  return root.status !== 'cleared' && root.status !== 'reversed';
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
  { billing_amount, merchant_amount, merchant_currency }: ClearingMessage,
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
  const part = the.message.partial || root.status === 'partially_cleared';
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

function isRecent(at_ms: number, now_ms: number): boolean {
  return now_ms - at_ms <= match_reach_days * day_ms;
}

/** Whether the clearing names the day of the authorization, the previous or the next. */
function isWithinOneDay(message: ClearingMessage, root: Authorization): boolean {
  if (message.authorization_date !== null) {
    const named_ms = Temporal.Instant.from(`${message.authorization_date}T00:00Z`).epochMilliseconds;
    const day = Math.floor(root.transaction_date_time_ms / day_ms);
    return Math.abs(named_ms / day_ms - day) <= 1;
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
