import type { ClearingWire } from '../system.ts';
import { isRefund } from './authorization.ts';
import type { Span } from './calendar.ts';
import { type AnsweredClearing, limitAmount, purchasesOf, type ReferenceCard, usedIn, windowOn } from './card.ts';
import { authorizedAmount, clearedAmount, type Purchase, standingOf, statusOf, sum } from './purchase.ts';

/** The outcome of a clearing. */
export interface Settlement {
  readonly rule: number;
  readonly review: boolean;
  readonly class: string;
  readonly purchase: Purchase | null;
  /** The earlier clearing that this one undoes, disputes or refunds. */
  readonly earlier: AnsweredClearing | null;
  readonly window: Span;
  readonly effect: number;
  readonly counts_as_use: boolean;
}

interface Match {
  readonly rule: number;
  readonly review: boolean;
  readonly purchase: Purchase | null;
  readonly earlier: AnsweredClearing | null;
}

const tip_mccs = ['4121', '5812', '5813', '5814', '7230', '7298'];

/**
 * Applies a clearing that is not a duplicate, and records it in the history of its purchase. A
 * clearing is never refused.
 */
export function settle(card: ReferenceCard, message: ClearingWire, now_ms: number): Settlement {
  const match = matchOf(card, message, now_ms);
  const clearing_class = classOf(card, message, match, now_ms);
  const present = windowOn(card, now_ms);
  const { purchase, earlier } = match;
  card.note(`rule ${match.rule as 8}`);
  card.note(`class ${clearing_class as 'exact'}`);

  if (message.cycle === 'second_presentment' || message.cycle === 'chargeback') {
    return { ...match, class: clearing_class, window: earlier?.window ?? present, effect: 0, counts_as_use: false };
  }
  const window = earlier?.window ?? purchase?.window ?? present;
  const amount = limitAmountOf(card, message);
  const undoing = message.cycle === 'reversal';
  const signed = message.clearing_type === 'DEBIT' ? amount : -amount;
  // A reversal undoes its clearing exactly. One that found none is treated by its type.
  const effect = match.rule === 1 && earlier !== null ? -earlier.effect : signed;
  const is_credit = message.clearing_type === 'CREDIT';
  const excessive = is_credit && effect < 0 && isAbovePurchase(card, match, effect);
  if (excessive) card.note('credit: above what its purchase cleared');
  if (effect < 0 && usedIn(card, window, now_ms) < -effect) card.note('credit: before the debit of its window');

  const gives_back = is_credit && !(purchase !== null && isRefund(purchase.message));
  if (undoing || gives_back) purchase?.history.push({ what: 'credited', effect, at_ms: now_ms });
  else
    purchase?.history.push({
      what: 'cleared',
      effect,
      final: message.partial !== true,
      debit: message.clearing_type === 'DEBIT',
      at_ms: now_ms,
    });
  const forced = purchase === null && !undoing && message.clearing_type === 'DEBIT';
  return { ...match, review: match.review || excessive, class: clearing_class, window, effect, counts_as_use: forced };
}

/**
 * Whether a linked credit is above what its purchase cleared, net of the other credits. The credit
 * of a refund authorization is not above anything: it is what was authorized.
 */
function isAbovePurchase(card: ReferenceCard, { purchase, earlier }: Match, effect: number): boolean {
  if (purchase !== null) return !isRefund(purchase.message) && clearedAmount(purchase) + effect < 0;
  if (earlier === null) return false;
  const credits = card.clearings.filter(
    (other) => other.answer.clearing_id === earlier.answer.id && !wasUndone(card, other),
  );
  return earlier.effect + sum(credits.map((credit) => credit.effect)) + effect < 0;
}

/**
 * The amount in the currency of the card's limits. An amount in the merchant's currency counts only
 * if that is the currency of the card.
 */
function limitAmountOf(card: ReferenceCard, message: ClearingWire): number {
  return message.merchant_currency === card.controls.currency ? message.merchant_amount : message.billing_amount;
}

/**
 * Rules 1 to 8 in order; the first that finds exactly one candidate matches. With more than one
 * candidate the clearing is marked for review.
 */
function matchOf(card: ReferenceCard, message: ClearingWire, now_ms: number): Match {
  let review = false;
  const one = <Candidate>(candidates: readonly Candidate[]): Candidate | null => {
    if (candidates.length > 1) review = true;
    return candidates.length === 1 ? candidates[0]! : null;
  };
  const none: Match = { rule: 8, review: false, purchase: null, earlier: null };

  if (message.cycle === 'reversal') {
    const undoable = card.clearings.filter((clearing) => undoneBy(card, clearing, message));
    const turned_round = undoable.filter((clearing) => clearing.message.clearing_type !== message.clearing_type);
    const earlier = one(undoable.length > 1 ? turned_round : undoable);
    if (earlier !== null) return { ...none, rule: 1, earlier, purchase: earlier.purchase };
    review = true;
  } else if (message.cycle !== undefined) {
    const earlier = one(card.clearings.filter((clearing) => disputedBy(clearing, message)));
    if (earlier !== null) return { ...none, rule: 2, earlier, purchase: earlier.purchase };
    return { ...none, review: true };
  }

  const purchases = purchasesOf(card).filter(
    (purchase) => message.clearing_type === 'CREDIT' || !isRefund(purchase.message),
  );
  const same_reference = purchases.filter((purchase) => sameReference(purchase, message));
  if (same_reference.length > 0) {
    const chosen = chooseOf(card, same_reference, now_ms);
    const converted = chosen.purchase.message.merchant_currency !== message.merchant_currency;
    if (converted) card.note('rule 3: another merchant currency');
    return { ...none, rule: 3, review: review || chosen.review || converted, purchase: chosen.purchase };
  }
  const by_rule: readonly [number, (purchase: Purchase) => boolean][] = [
    [4, (purchase) => sameShortReference(purchase, message)],
    [5, (purchase) => sameApproval(purchase, message, card, now_ms)],
    [6, (purchase) => sameAmountAndMerchant(purchase, message, card, now_ms)],
  ];
  for (const [rule, fits] of by_rule) {
    const purchase = one(purchases.filter(fits));
    if (purchase !== null) return { ...none, rule, review: review || rule === 6, purchase };
  }
  if (message.clearing_type === 'CREDIT') {
    const earlier = one(
      card.clearings.filter((clearing) => !wasUndone(card, clearing) && refundedBy(clearing, message, now_ms)),
    );
    return { ...none, rule: 7, review, earlier, purchase: earlier?.purchase ?? null };
  }
  return { ...none, review };
}

/**
 * Rule 1: reference data, amount, currency and approval code. A clearing can be undone only once.
 */
function undoneBy(card: ReferenceCard, clearing: AnsweredClearing, message: ClearingWire): boolean {
  const earlier = clearing.message;
  return (
    earlier.cycle !== 'reversal' &&
    !wasUndone(card, clearing) &&
    sharedText(earlier.acquirer_reference_data, message.acquirer_reference_data) &&
    earlier.approval_code === message.approval_code &&
    earlier.billing_amount === message.billing_amount &&
    earlier.billing_currency === message.billing_currency
  );
}

/** Whether a reversal of this clearing by rule 1 is on record. */
function wasUndone(card: ReferenceCard, { answer }: AnsweredClearing): boolean {
  return card.clearings.some((other) => other.answer.match_rule === 1 && other.answer.clearing_id === answer.id);
}

/** Rule 2: reference data and approval code. */
function disputedBy({ message: earlier }: AnsweredClearing, message: ClearingWire): boolean {
  return (
    earlier.cycle === undefined &&
    sharedText(earlier.acquirer_reference_data, message.acquirer_reference_data) &&
    earlier.approval_code === message.approval_code
  );
}

/**
 * Rule 3: the thirteen characters, and the approval codes if both have one. The currency may be
 * another one.
 */
function sameReference(purchase: Purchase, message: ClearingWire): boolean {
  const codes_differ =
    purchase.approval_code !== null &&
    message.approval_code !== undefined &&
    purchase.approval_code !== message.approval_code;
  return sharedText(purchase.message.net_reference_number, message.net_reference_number) && !codes_differ;
}

/**
 * Rule 3 among several: those that are open or partially cleared, then those that are expired or
 * released, then the rest; of several of a kind the oldest, for review.
 */
function chooseOf(
  card: ReferenceCard,
  purchases: readonly Purchase[],
  now_ms: number,
): { readonly purchase: Purchase; readonly review: boolean } {
  const having = (statuses: readonly string[]) =>
    purchases.filter((purchase) => statuses.includes(statusOf(purchase, now_ms)));
  const waiting = having(['open', 'partially_cleared']);
  const ended = having(['expired', 'released']);
  const best = waiting.length > 0 ? waiting : ended.length > 0 ? ended : purchases;
  if (best.length === 1 && purchases.length > 1) {
    card.note(
      best === waiting
        ? 'rule 3: one of several that is open or partially cleared'
        : 'rule 3: one of several that is expired or released',
    );
  }
  if (best.length > 1) card.note('rule 3: the oldest of several');
  return { purchase: best[0]!, review: best.length > 1 };
}

/**
 * Rule 4: six characters are unique for one day only, so the date and the approval code must also
 * match.
 */
function sameShortReference(purchase: Purchase, message: ClearingWire): boolean {
  if (message.authorization_date === undefined) return false;
  const purchased_on = Temporal.PlainDate.from(purchase.message.transaction_date_time.slice(0, 10));
  const days_apart = Math.abs(purchased_on.until(message.authorization_date).days);
  return (
    sharedText(purchase.message.net_reference_number?.slice(3, 9), message.net_reference_number?.slice(3, 9)) &&
    sharedText(purchase.approval_code ?? undefined, message.approval_code) &&
    days_apart <= 1
  );
}

/**
 * Rule 5: within 20 % either way and 35 days, including expired holds. For a purchase cleared in
 * parts, only the upper limit applies.
 */
function sameApproval(purchase: Purchase, message: ClearingWire, card: ReferenceCard, now_ms: number): boolean {
  const in_parts = message.partial === true || statusOf(purchase, now_ms) === 'partially_cleared';
  return (
    sharedText(purchase.approval_code ?? undefined, message.approval_code) &&
    sharedText(purchase.message.merchant_id, message.merchant_id) &&
    within35Days(purchase.at_ms, now_ms) &&
    comparedAmounts(purchase, message, card).some(
      ([cleared, authorized]) => cleared * 100 <= authorized * 120 && (in_parts || cleared * 100 >= authorized * 80),
    )
  );
}

/**
 * Rule 6: amount, merchant and window, of a purchase that is still unsettled for this clearing
 * type.
 */
function sameAmountAndMerchant(
  purchase: Purchase,
  message: ClearingWire,
  card: ReferenceCard,
  now_ms: number,
): boolean {
  const status = statusOf(purchase, now_ms);
  const waits =
    message.clearing_type === 'DEBIT'
      ? status !== 'cleared' && status !== 'reversed'
      : isRefund(purchase.message)
        ? status === 'open'
        : clearedAmount(purchase) > 0;
  return (
    waits &&
    sharedText(purchase.message.merchant_id, message.merchant_id) &&
    within35Days(purchase.at_ms, now_ms) &&
    comparedAmounts(purchase, message, card).some(([cleared, authorized]) => cleared === authorized)
  );
}

/** Rule 7: the earlier debit that a credit returns, in whole or in part. */
function refundedBy({ message: earlier, at_ms }: AnsweredClearing, message: ClearingWire, now_ms: number): boolean {
  const known =
    sharedText(earlier.acquirer_reference_data, message.acquirer_reference_data) ||
    sharedText(earlier.approval_code, message.approval_code) ||
    (sharedText(earlier.merchant_id, message.merchant_id) && within35Days(at_ms, now_ms));
  const not_more =
    earlier.merchant_currency === message.merchant_currency
      ? message.merchant_amount <= earlier.merchant_amount
      : message.billing_amount <= earlier.billing_amount;
  return earlier.cycle === undefined && earlier.clearing_type === 'DEBIT' && known && not_more;
}

/**
 * The pairs of cleared and authorized amounts: the merchant's amounts if they have one currency,
 * else the billed amounts. After increments and partial reversals, their total is also a pair.
 */
function comparedAmounts(purchase: Purchase, message: ClearingWire, card: ReferenceCard): [number, number][] {
  const said = purchase.message;
  const first: [number, number] =
    message.merchant_currency === said.merchant_currency
      ? [message.merchant_amount, said.merchant_amount]
      : [message.billing_amount, said.billing_amount];
  const sum_now = authorizedAmount(purchase);
  return sum_now === limitAmount(card, said) || sum_now === 0
    ? [first]
    : [first, [limitAmountOf(card, message), sum_now]];
}

/** The class of a clearing: the first that applies. */
function classOf(card: ReferenceCard, message: ClearingWire, match: Match, now_ms: number): string {
  const { purchase } = match;
  if (message.cycle === 'reversal') return 'reversal';
  if (message.cycle !== undefined) return 'dispute';
  if (card.clearings.some((clearing) => looksLike(clearing.message, message))) return 'suspected_duplicate';
  if (message.clearing_type === 'CREDIT') {
    return purchase !== null || match.earlier !== null ? 'refund_linked' : 'refund_unlinked';
  }
  if (purchase === null) return 'force_post';
  const { status, hold_is_over } = standingOf(purchase, now_ms);
  if (['expired', 'released', 'partially_cleared'].includes(status) && hold_is_over) return 'late';
  if (message.partial === true) return 'partial';

  const said = purchase.message;
  // The sum counts as 0 where a credit came before the purchase.
  const cleared_before = Math.max(0, clearedAmount(purchase));
  const untouched = cleared_before === 0 && authorizedAmount(purchase) === limitAmount(card, said);
  if (said.merchant_currency !== message.merchant_currency) {
    const [cleared, authorized] = untouched
      ? [message.billing_amount, said.billing_amount]
      : [cleared_before + limitAmountOf(card, message), authorizedAmount(purchase)];
    return driftOf(cleared, authorized);
  }
  if (untouched) {
    const drifted = said.merchant_amount === message.merchant_amount && said.billing_amount !== message.billing_amount;
    return drifted ? 'fx_drift' : overOrUnder(message, purchase, message.merchant_amount, said.merchant_amount);
  }
  const cleared = cleared_before + limitAmountOf(card, message);
  return overOrUnder(message, purchase, cleared, authorizedAmount(purchase));
}

/** Dynamic conversion: within 20 % either way it is a drift of the rate. */
function driftOf(cleared: number, authorized: number): string {
  if (cleared === authorized) return 'exact';
  if (Math.abs(cleared - authorized) * 100 <= authorized * 20) return 'fx_drift';
  return cleared > authorized ? 'over' : 'under';
}

function overOrUnder(message: ClearingWire, purchase: Purchase, cleared: number, authorized: number): string {
  if (cleared === authorized) return 'exact';
  if (cleared < authorized) return 'under';
  const percent = tipPercent(message.mcc ?? purchase.message.mcc);
  return (cleared - authorized) * 100 <= authorized * percent ? 'tip' : 'over';
}

function looksLike(earlier: ClearingWire, message: ClearingWire): boolean {
  return (
    earlier.cycle === undefined &&
    sharedText(earlier.acquirer_reference_data, message.acquirer_reference_data) &&
    earlier.billing_amount === message.billing_amount &&
    earlier.clearing_type === message.clearing_type &&
    earlier.net_reference_number === message.net_reference_number
  );
}

function within35Days(at_ms: number, now_ms: number): boolean {
  const from = Temporal.Instant.fromEpochMilliseconds(at_ms);
  return Temporal.Instant.compare(from.add({ hours: 35 * 24 }), Temporal.Instant.fromEpochMilliseconds(now_ms)) >= 0;
}

/** The usual tip; 0 if no tip is usual in this category. */
function tipPercent(mcc: string): number {
  if (tip_mccs.includes(mcc)) return 20;
  return mcc === '7011' || (mcc >= '3501' && mcc <= '3999') ? 15 : 0;
}

/** Whether both texts exist and are equal. */
function sharedText(a: string | undefined, b: string | undefined): boolean {
  return a !== undefined && a !== '' && a === b;
}
