import { Temporal } from 'temporal-polyfill';
import type {
  AuthorizationView,
  AuthorizationWire,
  ClearingWire,
  HoldDays,
  StandIn,
  WorldTemplate,
} from '../system.ts';
import { amount_max } from './bounds.ts';
import { expiryInstant, gmtDate, type Span } from './calendar.ts';
import {
  type AnsweredMessage,
  availableIn,
  holdEndOn,
  limitAmount,
  perTransactionMax,
  purchasesOf,
  type ReferenceCard,
  usesIn,
  windowOn,
} from './card.ts';
import { ownClearings, without } from './clearing.ts';
import { merchantVerdict } from './merchant.ts';
import {
  authorizedAmount,
  end,
  holdOf,
  isLive,
  isLiveBeforeClearings,
  isRefund,
  type Purchase,
  reportedAmount,
  standingBeforeClearings,
  statusOf,
} from './purchase.ts';
import { withSay } from './say.ts';

/** The table of reasons: the network's answer for each. */
export const reasons = {
  I: { vcn_response: 'Bad VCN-RCN mapping', response_code: '14' },
  K: { vcn_response: 'Database status bad', response_code: '62' },
  A: { vcn_response: 'Expiry date mismatch', response_code: '54' },
  B: { vcn_response: 'VCN expired', response_code: '54' },
  C: { vcn_response: 'CVC2 mismatch', response_code: '63' },
  D: { vcn_response: 'Validity period limit', response_code: '57' },
  M: { vcn_response: 'Transaction type restriction', response_code: '57' },
  J: { vcn_response: 'MCC limit', response_code: '57' },
  H: { vcn_response: 'Merchant ID limit', response_code: '57' },
  L: { vcn_response: 'Geographic restriction', response_code: '57' },
  N: { vcn_response: 'Card presence restriction', response_code: '57' },
  E: { vcn_response: 'Transaction amount limit', response_code: '61' },
  G: { vcn_response: 'Transaction number usage', response_code: '65' },
  F: { vcn_response: 'Cumulative amount limit', response_code: '61' },
  P: { vcn_response: 'Declined by the client', response_code: '05' },
  U: { vcn_response: 'Unable to process', response_code: '96' },
  V: { vcn_response: 'Valid', response_code: '00' },
} as const;

export type Reason = keyof typeof reasons;

/** The outcome of a message about a known card. */
export interface Decision {
  readonly reason: Reason;
  /** The purchase that the message made or changed. */
  readonly purchase: Purchase | null;
  /** The status of the message's own item if it has no purchase. */
  readonly status: string;
  /** What the window of a request had left: after an approval, and before the reason F. */
  readonly left?: number;
  /** The company approved a part of the amount. */
  readonly is_part?: boolean;
}

type Kind = 'request' | 'advice' | 'reversal';

const kinds: Readonly<Record<string, Kind>> = {
  '0100': 'request',
  '0120': 'advice',
  '0400': 'reversal',
  '0420': 'reversal',
};

/** The message types as a message may also state them. */
export const words_of_type: Readonly<Record<string, string>> = {
  '0100': 'Authorization Request',
  '0120': 'Authorization Advice',
  '0400': 'Reversal Request',
  '0420': 'Reversal Advice',
};

export function kindOf(message: AuthorizationWire): Kind {
  const kind = kinds[numericType(message)];
  if (kind === undefined) throw new Error(`no such message type: ${message.message_type_indicator}`);
  return kind;
}

/** What a decision depends on beside the card and the message. */
export interface Surroundings {
  readonly now_ms: number;
  readonly template: WorldTemplate;
  /** The days after which the holds of the company end; a card with aging velocity has its own. */
  readonly hold_days: HoldDays;
  /** What stands in for the company; null: it is not asked. */
  readonly stand_in: StandIn | null;
}

/** The fields with an amount that no message may have, whatever its card. */
export function wrongAmounts(message: AuthorizationWire | ClearingWire): readonly string[] {
  return (['billing_amount', 'merchant_amount'] as const).filter((name) => message[name] > amount_max);
}

/** Whether the message may be decided at all; else the invalid fields. */
export function problemsOf(card: ReferenceCard, message: AuthorizationWire): readonly string[] {
  if (kindOf(message) !== 'reversal' || correctedAmount(card, message) !== null) return [];
  card.note('reversal: only the amount of another currency');
  return ['billing_amount', 'transaction_amount'].map((name) => `replacement_amounts.${name}`);
}

/**
 * Decides a message that is valid and not a duplicate, and records the changes in the history of
 * its purchase.
 */
export function decide(card: ReferenceCard, message: AuthorizationWire, around: Surroundings): Decision {
  const { now_ms } = around;
  const kind = kindOf(message);
  if (kind === 'reversal') return reverse(card, message, now_ms);
  const known = purchasesOf(card).filter((purchase) => purchase.message.trace_id === message.trace_id);
  const live = known.findLast((purchase) => isLive(purchase, now_ms));
  if (kind === 'advice' && declinedElsewhere(message)) {
    card.note(known.length > 0 ? 'advice: of a decline of a known authorization' : 'advice: of a decline');
    return { reason: 'V', purchase: null, status: 'declined' };
  }
  if (message.incremental === true) {
    const open = known.findLast((purchase) => isLive(purchase, now_ms) && canIncrease(purchase));
    const onto = open ?? known.findLast((purchase) => isOpenBeforeClearings(purchase, now_ms));
    if (onto !== undefined && open === undefined) card.note('increment: after the final clearing');
    if (onto !== undefined) return increase(card, message, around, onto);
    card.note('increment: without an open authorization');
  } else if (kind === 'advice' && known.length > 0) {
    return applyReport(card, message, around, live ?? known.at(-1)!);
  }
  const advice = kind === 'request' && around.stand_in !== null ? adviceBefore(card, message) : null;
  if (advice !== null) return decideOvertaken(card, message, around, advice.purchase);

  const early = earlyReversals(card, message);
  if (early.includes('in full')) {
    card.note(early.length > 1 ? 'early reversal: in full among others in part' : 'early reversal: in full');
    return declined('U');
  }
  const remaining = early.filter((amount) => amount !== 'in full');
  if (remaining.length > 0) card.note('early reversal: in part');
  if (remaining.length > 1) card.note('early reversal: the smallest of several in part');
  const amount = Math.min(limitAmount(card, message), ...remaining);
  if (kind === 'advice') {
    card.note('advice: of a decision elsewhere');
    return approved(card, placed(card, message, around, amount).purchase, around);
  }
  const { reason, left, is_part, purchase, own } = withSay(card, message, around.stand_in, amount, (amount) => {
    const { purchase, own } = placed(card, message, around, amount);
    const asked = { amount, window: purchase.window, onto: null };
    return { purchase, own, ...without(own, () => answerRequest(card, message, around, asked)) };
  });
  if (own.length > 0 && reason !== 'V') card.note('authorization: declined after its clearing');
  if (reason !== 'V') return { ...declined(reason), ...left };
  const whole = is_part ? { ...purchase, sent: purchase.amount } : purchase;
  return { ...approved(card, whole, around), ...left, is_part };
}

/** The purchase that a message makes if it is approved, in its window, and its clearings that came before. */
function placed(card: ReferenceCard, message: AuthorizationWire, around: Surroundings, amount: number) {
  const purchase = purchaseOf(card, message, around, amount);
  const own = ownClearings(card, purchase, around.now_ms);
  if (own.length > 0) card.note('authorization: after its clearing');
  // It counts in the window of its clearings when they came in an earlier one. What disputes or
  // reverses one of them is no clearing of its own.
  for (const { at_ms } of own.filter(({ is_final }) => !is_final)) {
    const window = windowOn(card, at_ms);
    if (window.start_ms < purchase.window.start_ms) purchase.window = window;
  }
  return { purchase, own };
}

/** The fields that tell two messages of one card apart. A repeated message has all of them. */
export const message_keys = [
  'message_type_indicator',
  'trace_id',
  'system_trace_audit_number',
  'transaction_date_time',
] as const;

export type MessageKey = (typeof message_keys)[number];

/** The keys in which two messages of one card differ; none: the second repeats the first. */
export function differingKeys(a: AuthorizationWire, b: AuthorizationWire): readonly MessageKey[] {
  return message_keys.filter((key) => a[key] !== b[key] && keyOf(a, key) !== keyOf(b, key));
}

function keyOf(message: AuthorizationWire, key: MessageKey): string {
  if (key === 'message_type_indicator') return numericType(message);
  if (key === 'transaction_date_time') return Temporal.Instant.from(message[key]).toString();
  return message[key];
}

/** The first reason that applies, and what the window has left when it is F, or when none applies. */
function answerRequest(
  card: ReferenceCard,
  message: AuthorizationWire,
  around: Surroundings,
  asked: Parameters<typeof firstReason>[3],
): { readonly reason: Reason; readonly left: Pick<Decision, 'left'> } {
  const reason = firstReason(card, message, around, asked);
  if (reason !== 'V' && reason !== 'F') return { reason, left: {} };
  const holds = reason === 'F' || isRefund(message) ? 0 : asked.amount;
  return { reason, left: { left: availableIn(card, asked.window, around.now_ms) - holds } };
}

/**
 * The first reason of the table that applies. `onto` is the purchase to which an increment adds:
 * its window counts, also when it is over.
 */
function firstReason(
  card: ReferenceCard,
  message: AuthorizationWire,
  { now_ms, template }: Surroundings,
  { amount, window, onto }: { readonly amount: number; readonly window: Span; readonly onto: Purchase | null },
): Reason {
  const { controls } = card;
  const today = gmtDate(now_ms);
  const whole = amount + (onto === null ? 0 : authorizedAmount(onto));
  const minimum = amount === 0 ? 0 : controls.per_transaction_min;

  if (card.status === 'Canceled') return 'K';
  if (card.is_frozen) {
    card.note(isRefund(message) ? 'frozen: takes a refund' : 'frozen: declines a request');
    if (!isRefund(message)) return 'K';
  }
  if (message.expiry !== undefined && message.expiry !== card.expiry) return 'A';
  if (now_ms > expiryInstant(card.expiry)) return 'B';
  if (hasWrongCode(card, message) || (message.cvc !== undefined && isLocked(card, now_ms))) {
    if (!hasWrongCode(card, message)) card.note('codes: the right code of a locked card');
    return 'C';
  }
  if (today < controls.valid_starting_on || today > controls.valid_ending_on) return 'D';
  if (controls.currency !== null && message.merchant_currency !== controls.currency) return 'M';
  if (!allows(template, message.mcc)) return 'J';
  const own = controls.merchant_controls === null ? [] : [controls.merchant_controls];
  const shared = template.merchant_controls == null ? [] : [template.merchant_controls];
  const verdict = merchantVerdict([...own, ...shared], message);
  if (verdict !== null) {
    if (merchantVerdict(own, message) === null) card.note('merchant controls: only those of the template');
    if (verdict.is_unknown) card.note('merchant controls: the message lacks the value');
    return verdict.reason;
  }
  if (isRefund(message)) return 'V';
  if (whole < minimum || whole > perTransactionMax(controls)) return 'E';
  if (onto === null && controls.transactions_max !== null && usesIn(card, window) >= controls.transactions_max)
    return 'G';
  if (amount > availableIn(card, window, now_ms)) return 'F';
  return 'V';
}

/** The wrong codes of a UTC day after which any code is wrong. */
export const wrong_codes_max = 10;

export function hasWrongCode(card: ReferenceCard, message: AuthorizationWire): boolean {
  return message.cvc !== undefined && message.cvc !== card.cvc;
}

/** The messages of the day with a wrong code since the last reset, whatever they were answered. */
export function wrongCodesOn(card: ReferenceCard, now_ms: number): number {
  const today = gmtDate(now_ms);
  return card.messages
    .slice(card.messages_at_reset)
    .filter(({ message, at_ms }) => gmtDate(at_ms) === today && hasWrongCode(card, message)).length;
}

function isLocked(card: ReferenceCard, now_ms: number): boolean {
  return wrongCodesOn(card, now_ms) >= wrong_codes_max;
}

/** The purchase that the message makes if it is approved. */
function purchaseOf(
  card: ReferenceCard,
  message: AuthorizationWire,
  { now_ms, hold_days }: Surroundings,
  amount: number,
): Purchase {
  const holds = isRefund(message) ? 0 : amount;
  return {
    message,
    at_ms: now_ms,
    approval_code: null,
    id: null,
    sent: reportedBy(card, message),
    amount: holds,
    window: windowOn(card, now_ms),
    hold_end_ms: holds === 0 ? null : holdEndOn(card, now_ms, hold_days),
    history: [],
    cleared: [],
  };
}

function approved(card: ReferenceCard, purchase: Purchase, { now_ms, hold_days }: Surroundings): Decision {
  const { amount, hold_end_ms } = purchase;
  if (amount > 0 && hold_end_ms === null) card.note('hold: made without an end');
  if (hold_end_ms !== null && hold_days !== null && card.controls.authorization_hold_days === null) {
    card.note('hold: made with an end of the company');
  }
  return { reason: 'V', purchase, status: statusOf(purchase, now_ms) };
}

function declined(reason: Reason): Decision {
  return { reason, purchase: null, status: 'declined' };
}

/** Whether it could be increased if nothing of it had cleared. */
function isOpenBeforeClearings(purchase: Purchase, now_ms: number): boolean {
  const { authorized, is_use } = standingBeforeClearings(purchase, now_ms);
  return isLiveBeforeClearings(purchase, now_ms) && !isRefund(purchase.message) && (authorized > 0 || is_use);
}

/**
 * Whether it is more than a verification or a refund, whatever of it has cleared; one that an
 * advice lowered to 0 still is.
 */
function canIncrease(purchase: Purchase): boolean {
  const { is_use } = standingBeforeClearings(purchase, purchase.at_ms);
  return !isRefund(purchase.message) && (authorizedAmount(purchase) > 0 || is_use);
}

/**
 * An incremental authorization adds to the hold of an open one, in the window of that one. It is
 * not a new use. A hold that begins with it ends like one that is made now.
 */
function increase(card: ReferenceCard, message: AuthorizationWire, around: Surroundings, onto: Purchase): Decision {
  const { now_ms } = around;
  let amount = isRefund(message) ? 0 : limitAmount(card, message);
  let after: Pick<Decision, 'left' | 'is_part'> = {};
  const in_past_window = onto.window.start_ms !== windowOn(card, now_ms).start_ms;
  if (kindOf(message) === 'request') {
    const own = isOpenBeforeClearings(onto, now_ms) ? card.clearings.filter(({ purchase }) => purchase === onto) : [];
    const asked = limitAmount(card, message);
    const judged = withSay(card, message, around.stand_in, asked, (amount) => {
      const about = { amount, window: onto.window, onto };
      return { amount, ...without(own, () => answerRequest(card, message, around, about)) };
    });
    const { reason, left, is_part } = judged;
    if (reason === 'F' && in_past_window) card.note('increment: above what a past window has left');
    if (reason !== 'V') return { ...declined(reason), ...left };
    after = { ...left, is_part };
    if (is_part) amount = judged.amount;
    card.note(in_past_window ? 'increment: approved in a past window' : 'increment: approved in the present window');
  } else {
    card.note('increment: reported by an advice');
  }
  if (onto.hold_end_ms === null && amount > 0 && standingBeforeClearings(onto, now_ms).held === 0) {
    onto.hold_end_ms = holdEndOn(card, now_ms, around.hold_days);
  }
  onto.history.push({ what: 'increased', by: amount, at_ms: now_ms });
  return { reason: 'V', purchase: onto, status: 'open', ...after };
}

/**
 * An advice of an approved authorization of the card reports that decision: no new hold, no new
 * use. While it can still grow, its amount and its hold change by the advised amount less the
 * amount reported before. Otherwise the advice is only recorded.
 */
function applyReport(
  card: ReferenceCard,
  message: AuthorizationWire,
  { now_ms, hold_days }: Surroundings,
  about: Purchase,
): Decision {
  const amount = reportedBy(card, message);
  // The authorization of a refund holds nothing, whatever an advice says.
  const live = isLiveBeforeClearings(about, now_ms);
  const by = live && !isRefund(about.message) ? amount - reportedAmount(about) : 0;
  if (!live) card.note('advice: of an authorization that is closed');
  else if (by === 0) card.note('advice: repeats an authorization');
  else card.note(by > 0 ? 'advice: raises an authorization' : 'advice: lowers an authorization');
  about.history.push({ what: 'advised', amount, by, at_ms: now_ms });
  const { held, status } = standingBeforeClearings(about, now_ms);
  // A hold that begins now has an end like any other. What holds nothing is like a verification.
  if (about.hold_end_ms === null && by > 0 && held === by) about.hold_end_ms = holdEndOn(card, now_ms, hold_days);
  if (by !== 0 && held === 0 && status === 'open') about.hold_end_ms = null;
  return { reason: 'V', purchase: about, status: 'open' };
}

/**
 * The advice of an approval elsewhere that came before its request, of a company that is asked. It is
 * the advice of the first request with its trace_id.
 */
function adviceBefore(card: ReferenceCard, message: AuthorizationWire): AnsweredMessage | null {
  if (message.incremental === true || isRefund(message) || limitAmount(card, message) === 0) return null;
  const same = card.messages.filter(
    (earlier) => earlier.message.trace_id === message.trace_id && earlier.message.incremental !== true,
  );
  if (same.some((earlier) => kindOf(earlier.message) === 'request')) return null;
  const isOriginal = ({ message, purchase }: AnsweredMessage) =>
    kindOf(message) === 'advice' &&
    !declinedElsewhere(message) &&
    !isRefund(message) &&
    (purchase === null || purchase.message === message);
  return same.findLast(isOriginal) ?? null;
}

/**
 * A request after its advice holds nothing and is no use. The limits compare what it asks beyond the
 * amount reported before. Null: the advice came after a reversal in full.
 */
function decideOvertaken(
  card: ReferenceCard,
  message: AuthorizationWire,
  around: Surroundings,
  purchase: Purchase | null,
): Decision {
  const { now_ms } = around;
  if (purchase === null || statusOf(purchase, now_ms) === 'reversed') {
    card.note('request: after its advice and a reversal');
    return declined('U');
  }
  const is_live = isLive(purchase, now_ms);
  const amount = is_live ? Math.max(0, limitAmount(card, message) - reportedAmount(purchase)) : 0;
  const asked = { amount, window: purchase.window, onto: purchase };
  const { reason, left } = answerRequest(card, message, around, asked);
  const is_limit = ['E', 'G', 'F'].includes(reason);
  if (reason !== 'V' && !(is_limit && amount === 0)) return { ...declined(reason), ...left };
  card.note('request: after its advice');
  return { reason: 'V', purchase, status: 'open' };
}

/** The amount that a message names for its authorization: a refund holds nothing. */
function reportedBy(card: ReferenceCard, message: AuthorizationWire): number {
  return isRefund(message) ? 0 : limitAmount(card, message);
}

/**
 * A reversal releases the hold, or reduces it to the corrected amount. Of several purchases, it
 * applies to the newest that still holds.
 */
function reverse(card: ReferenceCard, message: AuthorizationWire, now_ms: number): Decision {
  const originals = purchasesOf(card).filter((purchase) => purchase.message.trace_id === message.trace_id);
  const original = originals.findLast((purchase) => holdOf(purchase, now_ms) > 0) ?? originals.at(-1);
  if (original === undefined) return { reason: 'V', purchase: null, status: 'reversed' };
  const corrected = correctedAmount(card, message) ?? 0;
  const status = statusOf(original, now_ms);
  if (corrected === 0) end(original, 'reversed', now_ms);
  else original.history.push({ what: 'corrected', to: corrected, at_ms: now_ms });
  card.note(corrected === 0 ? 'reversal: in full' : 'reversal: in part');
  if (status === 'expired') card.note('reversal: of an expired authorization');
  if (status === 'released') card.note('reversal: of a released authorization');
  return { reason: 'V', purchase: original, status: 'reversed' };
}

/**
 * The amount that remains, in the card's limit currency; 0 for a reversal in full, which names no
 * amount. Null if only amounts of another currency are named.
 */
function correctedAmount(card: ReferenceCard, message: AuthorizationWire): number | null {
  const limit_currency = card.controls.currency ?? message.billing_currency;
  const named = (name: 'billing_amount' | 'settlement_amount' | 'transaction_amount') =>
    message.replacement_amounts?.[name] || message[`replacement_amounts.${name}`] || 0;
  const billed = named('billing_amount');
  const in_merchants = named('transaction_amount');
  if (billed === 0 && in_merchants === 0 && named('settlement_amount') === 0) return 0;
  if (billed > 0 && message.billing_currency === limit_currency) return billed;
  if (in_merchants > 0 && message.merchant_currency === limit_currency) return in_merchants;
  return null;
}

/**
 * The reversals that came before their original and wait for it: what each leaves of the amount.
 * The first request or approving advice with the trace_id uses all of them up.
 */
function earlyReversals(card: ReferenceCard, message: AuthorizationWire): readonly (number | 'in full')[] {
  const same_trace = card.messages
    .map((answered) => answered.message)
    .filter(({ trace_id }) => trace_id === message.trace_id);
  const first_other = same_trace.findIndex((earlier) => kindOf(earlier) !== 'reversal');
  const early = first_other === -1 ? same_trace : same_trace.slice(0, first_other);
  const others = same_trace.slice(early.length).filter((earlier) => kindOf(earlier) !== 'reversal');
  if (early.length === 0) return [];
  const is_used = others.some((earlier) => kindOf(earlier) === 'request' || !declinedElsewhere(earlier));
  if (is_used) card.note('early reversal: used before');
  else if (others.length > 0) card.note('early reversal: left by the advice of a decline');
  return is_used ? [] : early.map((reversal) => correctedAmount(card, reversal) || 'in full');
}

function declinedElsewhere(message: AuthorizationWire): boolean {
  return (message.response_code ?? '00') !== '00';
}

function allows(template: WorldTemplate, mcc: string): boolean {
  const listed = template.mcc_list.includes(mcc);
  return template.mcc_rule === 'ALLOW' ? listed : !listed;
}

/** The message type as four digits. */
export function numericType({ message_type_indicator: type }: AuthorizationWire): string {
  return Object.entries(words_of_type).find(([, words]) => words === type)?.[0] ?? type;
}

/** The answer on the wire. The system chooses the id and the code of an approval. */
export function answerOf(decision: Decision, message: AuthorizationWire): AuthorizationView {
  const listed = reasons[decision.reason];
  // The advice of a decline is answered with the code that it contained.
  const elsewhere = kindOf(message) === 'advice' && decision.reason === 'V' ? message.response_code : undefined;
  const is_approved = decision.reason === 'V' && decision.status !== 'declined';
  return {
    id: null,
    ...listed,
    response_code: decision.is_part ? '10' : (elsewhere ?? listed.response_code),
    issuer_response: is_approved ? 'Approved' : 'Declined',
    approval_code: null,
    status: decision.status,
    ...(decision.left === undefined ? {} : { left: decision.left }),
  };
}
