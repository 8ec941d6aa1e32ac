import { Temporal } from 'temporal-polyfill';
import type { ClearingWire } from '../system.ts';
import type { Span } from './calendar.ts';
import {
  type AnsweredClearing,
  type AnsweredMessage,
  limitAmount,
  purchasesOf,
  type ReferenceCard,
  usedIn,
  windowOn,
} from './card.ts';
import { chosenByHand, isTakenFrom } from './hand-decision.ts';
import {
  authorizedAmount,
  clearedAmount,
  holdEndOf,
  isRefund,
  type Purchase,
  standingBeforeClearings,
  statusOf,
  sum,
} from './purchase.ts';

interface Settlement {
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

/** A clearing that has not been settled yet. */
export function unsettled(card: ReferenceCard, message: ClearingWire, at_ms: number): AnsweredClearing {
  return {
    message,
    ids: [message.network_financial_transaction_id],
    at_ms,
    answer: { id: 0, class: '', match_rule: 8, review: false, authorization_id: null, clearing_id: null },
    purchase: null,
    earlier: null,
    decisions: [],
    is_final: false,
    window: windowOn(card, at_ms),
    effect: 0,
    counts_as_use: false,
    is_taken_out: false,
  };
}

/**
 * The fields in which a message differs from a clearing of its card with its id. None: it is a copy.
 * Between copies with two ids the file may state less than the network.
 */
export function differences({ message: known, ids }: AnsweredClearing, message: ClearingWire): readonly string[] {
  const always = ['clearing_type', 'cycle', 'billing_amount', 'billing_currency'] as const;
  const whereBoth = ['acquirer_reference_data', 'approval_code', 'merchant_amount', 'merchant_currency'] as const;
  const compared = ids.length > 1 ? whereBoth.slice(0, 1) : whereBoth;
  return [
    ...always.filter((name) => known[name] !== message[name]),
    ...compared.filter(
      (name) => known[name] !== undefined && message[name] !== undefined && known[name] !== message[name],
    ),
  ];
}

/**
 * The clearing of which the message is the other copy, or null: one has an id of the network, the
 * other an id that was made from a file, and all else agrees. It then has both ids.
 */
export function pair(card: ReferenceCard, message: ClearingWire): AnsweredClearing | null {
  const found = inOrder(card.clearings).find(
    ({ ids, message: known }) =>
      ids.length === 1 &&
      known.synthetic_id !== message.synthetic_id &&
      known.cycle === message.cycle &&
      looksAlike(known, message) &&
      known.billing_currency === message.billing_currency,
  );
  if (found === undefined) return null;
  const { network_financial_transaction_id: id } = message;
  found.ids = message.synthetic_id ? [...found.ids, id] : [id, ...found.ids];
  const net_reference_number = filled(found.message.net_reference_number, message.net_reference_number);
  if (net_reference_number !== undefined) found.message = { ...found.message, net_reference_number };
  return found;
}

/** The reference with what the other copy knows in the place of its blanks. */
function filled(reference: string | undefined, other: string | undefined): string | undefined {
  if (reference?.length !== 13 || other?.length !== 13) return reference;
  return [...reference].map((letter, at) => (letter === ' ' ? other[at] : letter)).join('');
}

/**
 * Settles all clearings of the card from the beginning, in the canonical order, against all its
 * purchases. Only what rules 1 and 2 once matched stays matched.
 */
export function settleAll(card: ReferenceCard, now_ms: number): void {
  const settled: AnsweredClearing[] = [];
  for (const purchase of purchasesOf(card)) purchase.cleared = [];
  for (const clearing of inOrder(card.clearings)) {
    const settlement = settle({ ...card, clearings: settled }, clearing, now_ms);
    const { purchase, earlier, window, effect, counts_as_use, rule } = settlement;
    const is_final = earlier !== null && rule <= 2;
    Object.assign(clearing, { purchase, earlier, window, effect, counts_as_use, is_final });
    Object.assign(clearing.answer, {
      class: settlement.class,
      match_rule: rule,
      review: settlement.review,
      authorization_id: purchase?.id ?? null,
      clearing_id: earlier?.answer.id ?? null,
    });
    settled.push(clearing);
  }
}

/**
 * The clearings that would belong to a purchase which is not decided yet, in the canonical order. A
 * purchase without an approval code takes that of the first which its whole reference finds.
 */
export function ownClearings(card: ReferenceCard, purchase: Purchase, now_ms: number): readonly AnsweredClearing[] {
  const own = (approval_code: string | null) => {
    const decided = { ...purchase, approval_code };
    const answer = { id: null, status: 'open' } as AnsweredMessage['answer'];
    const messages = [...card.messages, { message: purchase.message, at_ms: now_ms, answer, purchase: decided }];
    settleAll({ ...card, messages }, now_ms);
    return inOrder(card.clearings.filter((clearing) => clearing.purchase === decided));
  };
  const ofAnother = ({ message }: AnsweredClearing) =>
    sharedText(message.net_reference_number, purchase.message.net_reference_number) &&
    namedByCode(card, message).length > 0;
  if (card.clearings.some(ofAnother)) card.note('authorization: after the clearing of another');
  const found = own(purchase.approval_code);
  const coded = found.find(({ answer, message }) => answer.match_rule === 3 && message.approval_code !== undefined);
  const code = purchase.approval_code === null ? coded?.message.approval_code : undefined;
  const with_code = code === undefined ? found : own(code);
  settleAll(card, now_ms);
  return with_code;
}

/** Computes something as if these clearings had not come. */
export function without<Result>(clearings: readonly AnsweredClearing[], compute: () => Result): Result {
  for (const clearing of clearings) clearing.is_taken_out = true;
  const result = compute();
  for (const clearing of clearings) clearing.is_taken_out = false;
  return result;
}

/**
 * By settlement date, then debits before credits, then by transaction id. Of those with one date and
 * one reference, a dispute comes after the presentments, and a reversal after the presentments and
 * the disputes.
 */
function inOrder(clearings: readonly AnsweredClearing[]): readonly AnsweredClearing[] {
  const place = ({ message, ids }: AnsweredClearing) =>
    `${message.settlement_date} ${message.clearing_type === 'DEBIT' ? 1 : 2} ${ids[0]}`;
  const sorted = clearings.toSorted((a, b) => (place(a) < place(b) ? -1 : 1));
  const ordered: AnsweredClearing[] = [];
  for (const clearing of sorted) {
    const alike = sorted.filter(
      ({ message }) =>
        message.settlement_date === clearing.message.settlement_date &&
        sharedText(message.acquirer_reference_data, clearing.message.acquirer_reference_data),
    );
    const presentments = alike.filter(({ message }) => message.cycle === undefined);
    const disputes = alike.filter(({ message }) => isDispute(message));
    const before = isDispute(clearing.message)
      ? presentments
      : clearing.message.cycle === 'reversal'
        ? [...presentments, ...disputes]
        : [];
    for (const one of [...before, clearing]) if (!ordered.includes(one)) ordered.push(one);
  }
  return ordered;
}

/** Settles a clearing. `card` has the clearings that come before it. */
function settle(card: ReferenceCard, clearing: AnsweredClearing, now_ms: number): Settlement {
  const { message } = clearing;
  const match = clearing.is_final ? finalMatch(clearing) : matchByHand(card, clearing, now_ms);
  const clearing_class = classOf(card, message, match, now_ms);
  const own_window = windowOn(card, clearing.at_ms);
  const { purchase, earlier } = match;
  card.note(`rule ${match.rule as 8}`);
  card.note(`class ${clearing_class as 'exact'}`);

  if (isDispute(message)) {
    return { ...match, class: clearing_class, window: earlier?.window ?? own_window, effect: 0, counts_as_use: false };
  }
  const window = earlier?.window ?? purchase?.window ?? own_window;
  const amount = limitAmountOf(card, message);
  const undoing = message.cycle === 'reversal';
  const signed = message.clearing_type === 'DEBIT' ? amount : -amount;
  // A reversal undoes its clearing exactly. One that found none is treated by its type.
  const undoes = earlier !== null && (match.rule === 1 || isDispute(earlier.message));
  const effect = undoes ? 0 - earlier.effect : signed;
  const is_credit = message.clearing_type === 'CREDIT';
  const excessive = is_credit && effect < 0 && isAbovePurchase(card, match, effect);
  if (excessive) card.note('credit: above what its purchase cleared');
  if (effect < 0 && usedIn(card, window, now_ms) < -effect) card.note('credit: before the debit of its window');

  const gives_back = is_credit && !(purchase !== null && isRefund(purchase.message));
  const settles =
    undoing || gives_back ? null : { final: message.partial !== true, debit: message.clearing_type === 'DEBIT' };
  if (purchase !== null) purchase.cleared = [...purchase.cleared, { clearing, effect, settles }];
  const forced = purchase === null && !undoing && message.clearing_type === 'DEBIT';
  return { ...match, review: match.review || excessive, class: clearing_class, window, effect, counts_as_use: forced };
}

function isDispute({ cycle }: ClearingWire): boolean {
  return cycle === 'second_presentment' || cycle === 'chargeback';
}

/**
 * The match of rule 1 or 2 that was made before. The clearing may belong to another purchase now.
 */
function finalMatch({ answer, earlier }: AnsweredClearing): Match {
  return { rule: answer.match_rule!, review: false, purchase: earlier?.purchase ?? null, earlier };
}

/**
 * Whether a linked credit is above what its purchase cleared, net of the other credits. The credit
 * of a refund authorization is not above anything: it is what was authorized.
 */
function isAbovePurchase(card: ReferenceCard, { purchase, earlier }: Match, effect: number): boolean {
  if (purchase !== null) return !isRefund(purchase.message) && clearedAmount(purchase) + effect < 0;
  if (earlier === null) return false;
  const credits = card.clearings.filter((other) => other.earlier === earlier && !wasUndone(card, other));
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
 * The match that a person made, else that of the rules. A refund still refers to the clearing that
 * rule 7 finds of the same purchase.
 */
function matchByHand(card: ReferenceCard, clearing: AnsweredClearing, now_ms: number): Match {
  const match = matchOf(card, clearing, now_ms);
  const purchase = chosenByHand(clearing);
  if (purchase === null) return match;
  return { rule: 9, review: false, purchase, earlier: match.purchase === purchase ? match.earlier : null };
}

/**
 * Rules 1 to 8 in order; the first that finds exactly one candidate matches. With more than one
 * candidate the clearing is marked for review. No rule finds what a person took it from.
 */
function matchOf(card: ReferenceCard, clearing: AnsweredClearing, now_ms: number): Match {
  const { message } = clearing;
  let review = false;
  const one = <Candidate>(candidates: readonly Candidate[]): Candidate | null => {
    if (candidates.length > 1) review = true;
    return candidates.length === 1 ? candidates[0]! : null;
  };
  const none: Match = { rule: 8, review: false, purchase: null, earlier: null };

  if (message.cycle === 'reversal') {
    const undoable = card.clearings.filter((other) => undoneBy(card, other, message));
    const turned_round = undoable.filter((other) => other.message.clearing_type !== message.clearing_type);
    const fitting = turned_round.length > 0 ? turned_round : undoable;
    const earlier = one(newestOfEqual(fitting));
    if (earlier !== null && fitting.length > 1) card.note('rule 1: one of several equal clearings');
    // Until a dispute has its own clearing, nobody knows whether the reversal also fits that one.
    if (earlier !== null && isDispute(earlier.message) && earlier.earlier === null) {
      return { ...none, review: true, earlier };
    }
    if (earlier !== null) return { ...none, rule: 1, earlier, purchase: earlier.purchase };
    review = true;
  } else if (message.cycle !== undefined) {
    const earlier = one(card.clearings.filter((other) => disputedBy(other, message)));
    if (earlier !== null) return { ...none, rule: 2, earlier, purchase: earlier.purchase };
    return { ...none, review: true };
  }

  const named = namedByCode(card, message);
  const isOfAnother = (purchase: Purchase) => named.length > 0 && !named.includes(purchase);
  const purchases = purchasesOf(card).filter(
    (purchase) =>
      !isOfAnother(purchase) &&
      (message.clearing_type === 'CREDIT' || !isRefund(purchase.message)) &&
      !isTakenFrom(clearing, purchase),
  );
  const same_reference = purchases.filter((purchase) => sameReference(purchase, message));
  if (same_reference.length > 0) {
    const chosen = chooseOf(card, message, same_reference, now_ms);
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
      card.clearings.filter(
        (other) =>
          !wasUndone(card, other) &&
          refundedBy(other, message) &&
          (other.purchase === null || !(isOfAnother(other.purchase) || isTakenFrom(clearing, other.purchase))),
      ),
    );
    return { ...none, rule: 7, review, earlier, purchase: earlier?.purchase ?? null };
  }
  return { ...none, review };
}

/** The purchases whose approval code the clearing bears. Then it never belongs to another one. */
function namedByCode(card: ReferenceCard, { approval_code }: ClearingWire): readonly Purchase[] {
  return purchasesOf(card).filter((purchase) => sharedText(purchase.approval_code ?? undefined, approval_code));
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

/**
 * Of several clearings that differ in nothing but their ids the newest, a suspected duplicate
 * first. A presentment and its dispute differ.
 */
function newestOfEqual(clearings: readonly AnsweredClearing[]): readonly AnsweredClearing[] {
  if (new Set(clearings.map(({ message }) => message.cycle)).size > 1) return clearings;
  const suspected = clearings.filter(({ answer }) => answer.class === 'suspected_duplicate');
  return (suspected.length > 0 ? suspected : clearings).slice(-1);
}

/** Whether a reversal of this clearing by rule 1 is on record. */
function wasUndone(card: ReferenceCard, clearing: AnsweredClearing): boolean {
  return card.clearings.some((other) => other.answer.match_rule === 1 && other.earlier === clearing);
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
 * Rule 3 among several: those that wait for a clearing on the settlement date, then those whose
 * hold had ended by then, then the rest; of several of a kind the oldest, for review.
 */
function chooseOf(
  card: ReferenceCard,
  message: ClearingWire,
  purchases: readonly Purchase[],
  now_ms: number,
): { readonly purchase: Purchase; readonly review: boolean } {
  const at = ({ message }: Purchase) => Temporal.Instant.from(message.transaction_date_time).epochMilliseconds;
  const oldest_first = purchases.toSorted((a, b) => at(a) - at(b) || (a.id ?? newest) - (b.id ?? newest));
  const unfinished = oldest_first.filter((purchase) => !isFinished(purchase, now_ms));
  const ended = unfinished.filter((purchase) => isEndedBy(card, purchase, message.settlement_date));
  const waiting = unfinished.filter((purchase) => !ended.includes(purchase));
  const best = waiting.length > 0 ? waiting : ended.length > 0 ? ended : oldest_first;
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

/** The id of a purchase to which the system has given none yet. */
const newest = Number.MAX_SAFE_INTEGER;

/** Cleared in full, or ever reversed in full, whatever parts have cleared. */
function isFinished(purchase: Purchase, now_ms: number): boolean {
  return statusOf(purchase, now_ms) === 'cleared' || standingBeforeClearings(purchase, now_ms).status === 'reversed';
}

/** Whether its hold had ended by a settlement date: on an earlier local date. */
function isEndedBy({ controls }: ReferenceCard, purchase: Purchase, settlement_date: string): boolean {
  const end_ms = holdEndOf(purchase);
  if (end_ms === null) return false;
  const zone = controls.authorization_hold_days === null ? 'UTC' : controls.aging_velocity_time_zone!;
  const ended_on = Temporal.Instant.fromEpochMilliseconds(end_ms).toZonedDateTimeISO(zone).toPlainDate();
  return Temporal.PlainDate.compare(settlement_date, ended_on) > 0;
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
  const has_parts = purchase.cleared.some(({ settles }) => settles !== null);
  const in_parts = message.partial === true || (has_parts && statusOf(purchase, now_ms) !== 'cleared');
  return (
    sharedText(purchase.approval_code ?? undefined, message.approval_code) &&
    sharedText(purchase.message.merchant_id, message.merchant_id) &&
    within35Days(purchase.message.transaction_date_time.slice(0, 10), message.settlement_date) &&
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
      ? !isFinished(purchase, now_ms)
      : isRefund(purchase.message)
        ? status === 'open'
        : clearedAmount(purchase) > 0;
  return (
    waits &&
    sharedText(purchase.message.merchant_id, message.merchant_id) &&
    within35Days(purchase.message.transaction_date_time.slice(0, 10), message.settlement_date) &&
    comparedAmounts(purchase, message, card).some(([cleared, authorized]) => cleared === authorized)
  );
}

/** Rule 7: the earlier debit that a credit returns, in whole or in part. */
function refundedBy({ message: earlier }: AnsweredClearing, message: ClearingWire): boolean {
  const known =
    sharedText(earlier.acquirer_reference_data, message.acquirer_reference_data) ||
    sharedText(earlier.approval_code, message.approval_code) ||
    (sharedText(earlier.merchant_id, message.merchant_id) &&
      within35Days(earlier.settlement_date, message.settlement_date));
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
  const original = purchase.message;
  const first: [number, number] =
    message.merchant_currency === original.merchant_currency
      ? [message.merchant_amount, original.merchant_amount]
      : [message.billing_amount, original.billing_amount];
  const sum_now = authorizedAmount(purchase);
  return sum_now === limitAmount(card, original) || sum_now === 0
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
  if (!isFinished(purchase, now_ms) && isEndedBy(card, purchase, message.settlement_date)) return 'late';
  if (message.partial === true) return 'partial';

  const original = purchase.message;
  // The sum counts as 0 where a credit came before the purchase.
  const cleared_before = Math.max(0, clearedAmount(purchase));
  const untouched = cleared_before === 0 && authorizedAmount(purchase) === limitAmount(card, original);
  if (original.merchant_currency !== message.merchant_currency) {
    const [cleared, authorized] = untouched
      ? [message.billing_amount, original.billing_amount]
      : [cleared_before + limitAmountOf(card, message), authorizedAmount(purchase)];
    return driftOf(cleared, authorized);
  }
  if (untouched) {
    const drifted =
      original.merchant_amount === message.merchant_amount && original.billing_amount !== message.billing_amount;
    return drifted ? 'fx_drift' : overOrUnder(message, purchase, message.merchant_amount, original.merchant_amount);
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
    looksAlike(earlier, message) &&
    earlier.net_reference_number === message.net_reference_number
  );
}

/** Same reference data, amount and type, and no other network reference but for blanks. */
function looksAlike(one: ClearingWire, other: ClearingWire): boolean {
  const [a, b] = [one.net_reference_number, other.net_reference_number];
  const agrees =
    a === undefined || b === undefined
      ? a === b
      : a.length === b.length && [...a].every((letter, at) => [letter, b[at]].includes(' ') || letter === b[at]);
  return (
    agrees &&
    sharedText(one.acquirer_reference_data, other.acquirer_reference_data) &&
    one.billing_amount === other.billing_amount &&
    one.clearing_type === other.clearing_type
  );
}

function within35Days(date: string, other: string): boolean {
  return Math.abs(Temporal.PlainDate.from(date).until(other).days) <= 35;
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
