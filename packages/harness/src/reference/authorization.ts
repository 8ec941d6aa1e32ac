import type { AuthorizationView, AuthorizationWire, WorldTemplate } from '../system.ts';
import { expiryInstant, gmtDate } from './calendar.ts';
import {
  agedOff,
  authorizedAmount,
  availableIn,
  holdEndOn,
  holdOf,
  limitAmount,
  type Purchase,
  perTransactionMax,
  purchasesOf,
  type ReferenceCard,
  statusOf,
  usesOf,
  windowOn,
} from './card.ts';

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
  E: { vcn_response: 'Transaction amount limit', response_code: '61' },
  G: { vcn_response: 'Transaction number usage', response_code: '65' },
  F: { vcn_response: 'Cumulative amount limit', response_code: '61' },
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
}

type Kind = 'request' | 'advice' | 'reversal';

const kinds: Readonly<Record<string, Kind>> = {
  '0100': 'request',
  'Authorization Request': 'request',
  '0120': 'advice',
  'Authorization Advice': 'advice',
  '0400': 'reversal',
  'Reversal Request': 'reversal',
  '0420': 'reversal',
  'Reversal Advice': 'reversal',
};

export function kindOf(message: AuthorizationWire): Kind {
  const kind = kinds[message.message_type_indicator];
  if (kind === undefined) throw new Error(`no such message type: ${message.message_type_indicator}`);
  return kind;
}

/**
 * Decides a message that is not a duplicate, and records the changes in the history of its purchase.
 */
export function decide(
  card: ReferenceCard,
  message: AuthorizationWire,
  now_ms: number,
  template: WorldTemplate,
): Decision {
  if (kindOf(message) === 'reversal') return reverse(card, message, now_ms);
  const onto = message.incremental === true ? increasable(card, message, now_ms) : undefined;
  if (onto !== undefined) return increase(card, message, now_ms, template, onto);
  if (kindOf(message) === 'advice' && declinedElsewhere(message)) {
    return { reason: 'V', purchase: null, status: 'declined' };
  }
  const reported =
    kindOf(message) === 'advice' && message.incremental !== true ? ownDecision(card, message, now_ms) : undefined;
  if (reported !== undefined) return report(card, message, now_ms, reported);
  const corrected = earlyCorrection(card, message);
  if (corrected === 0) return declined('U');
  const amount = Math.min(limitAmount(card, message), corrected);
  if (kindOf(message) === 'advice') return approved(card, message, now_ms, amount);
  const reason = firstReason(card, message, now_ms, template, null, amount);
  return reason === 'V' ? approved(card, message, now_ms, amount) : declined(reason);
}

/**
 * A repeated message has the same card, message type, trace_id, system_trace_audit_number and
 * transaction_date_time.
 */
export function sameMessage(a: AuthorizationWire, b: AuthorizationWire): boolean {
  return (
    numericType(a) === numericType(b) &&
    a.trace_id === b.trace_id &&
    a.system_trace_audit_number === b.system_trace_audit_number &&
    Temporal.Instant.from(a.transaction_date_time).equals(Temporal.Instant.from(b.transaction_date_time))
  );
}

/**
 * The first reason of the table that applies. `onto` is the purchase to which an increment adds.
 */
function firstReason(
  card: ReferenceCard,
  message: AuthorizationWire,
  now_ms: number,
  template: WorldTemplate,
  onto: Purchase | null,
  amount: number,
): Reason {
  const { controls } = card;
  const today = gmtDate(now_ms).toString();
  const whole = amount + (onto === null ? 0 : authorizedAmount(onto));
  const minimum = amount === 0 ? 0 : controls.per_transaction_min;

  if (card.status === 'Canceled') return 'K';
  if (message.expiry !== undefined && message.expiry !== card.expiry) return 'A';
  if (now_ms > expiryInstant(card.expiry)) return 'B';
  if (message.cvc !== undefined && message.cvc !== card.cvc) return 'C';
  if (today < controls.valid_starting_on || today > controls.valid_ending_on) return 'D';
  if (controls.currency !== null && message.merchant_currency !== controls.currency) return 'M';
  if (!allows(template, message.mcc)) return 'J';
  if (isRefund(message)) return 'V';
  if (whole < minimum || whole > perTransactionMax(controls)) return 'E';
  if (onto === null && controls.transactions_max !== null && usesOf(card, now_ms) >= controls.transactions_max)
    return 'G';
  if (amount > availableIn(card, onto?.window ?? windowOn(card, now_ms), now_ms)) return 'F';
  return 'V';
}

function approved(card: ReferenceCard, message: AuthorizationWire, now_ms: number, asked: number): Decision {
  const amount = isRefund(message) ? 0 : asked;
  const purchase: Purchase = {
    message,
    at_ms: now_ms,
    approval_code: null,
    id: null,
    amount,
    holds_nothing: amount === 0,
    window: windowOn(card, now_ms),
    hold_end_ms: amount === 0 ? null : holdEndOn(card, now_ms),
    history: [],
  };
  return { reason: 'V', purchase, status: statusOf(purchase, now_ms) };
}

function declined(reason: Reason): Decision {
  return { reason, purchase: null, status: 'declined' };
}

/** The newest of the purchases, but rather one that is open and whose hold has not ended. */
function newestLive(purchases: readonly Purchase[], now_ms: number): Purchase | undefined {
  return purchases.findLast((purchase) => isLive(purchase, now_ms));
}

function isLive(purchase: Purchase, now_ms: number): boolean {
  return ['open', 'partially_cleared'].includes(statusOf(purchase, now_ms)) && !agedOff(purchase, now_ms);
}

function purchasesOfTrace(card: ReferenceCard, message: AuthorizationWire): readonly Purchase[] {
  return purchasesOf(card).filter((purchase) => purchase.message.trace_id === message.trace_id);
}

/**
 * The open purchase to which an increment adds, in whatever window. An increment without one is a
 * separate authorization.
 */
function increasable(card: ReferenceCard, message: AuthorizationWire, now_ms: number): Purchase | undefined {
  return newestLive(
    purchasesOfTrace(card, message).filter((purchase) => authorizedAmount(purchase) > 0),
    now_ms,
  );
}

/** The purchase whose decision an advice reports. */
function ownDecision(card: ReferenceCard, message: AuthorizationWire, now_ms: number): Purchase | undefined {
  const purchases = purchasesOfTrace(card, message);
  return newestLive(purchases, now_ms) ?? purchases.at(-1);
}

/** An advice of a decision of ours changes the hold by what it reports differently. */
function report(card: ReferenceCard, message: AuthorizationWire, now_ms: number, purchase: Purchase): Decision {
  const amountOf = (sent: AuthorizationWire) => (isRefund(sent) ? 0 : limitAmount(card, sent));
  const before = card.messages.findLast(
    ({ message: sent, answer, purchase: of }) =>
      of === purchase && kindOf(sent) === 'advice' && sent.incremental !== true && answer.status !== 'declined',
  );
  if (isLive(purchase, now_ms) && !isRefund(purchase.message)) {
    const by = amountOf(message) - amountOf(before?.message ?? purchase.message);
    purchase.history.push({ what: 'reported', by });
    if (by > 0) purchase.hold_end_ms ??= holdEndOn(card, now_ms);
    if (by < 0 && statusOf(purchase, now_ms) === 'open' && holdOf(purchase, now_ms) === 0) purchase.hold_end_ms = null;
  }
  return { reason: 'V', purchase, status: 'open' };
}

/** An incremental authorization adds to the hold of an open one. It is not a new use. */
function increase(
  card: ReferenceCard,
  message: AuthorizationWire,
  now_ms: number,
  template: WorldTemplate,
  onto: Purchase,
): Decision {
  const is_advice = kindOf(message) === 'advice';
  if (is_advice && declinedElsewhere(message)) return { reason: 'V', purchase: null, status: 'declined' };
  const reason = is_advice ? 'V' : firstReason(card, message, now_ms, template, onto, limitAmount(card, message));
  if (reason !== 'V') return declined(reason);
  onto.history.push({ what: 'increased', by: limitAmount(card, message) });
  return { reason, purchase: onto, status: 'open' };
}

/**
 * A reversal releases the hold, or reduces it to the corrected amount. Of several purchases, it
 * applies to the newest that still holds.
 */
function reverse(card: ReferenceCard, message: AuthorizationWire, now_ms: number): Decision {
  const originals = purchasesOf(card).filter((purchase) => purchase.message.trace_id === message.trace_id);
  const original = originals.findLast((purchase) => holdOf(purchase, now_ms) > 0) ?? originals.at(-1);
  if (original === undefined) return { reason: 'V', purchase: null, status: 'reversed' };
  const corrected = correctedAmount(card, message);
  if (corrected === 0) original.history.push({ what: 'reversed', at_ms: now_ms });
  else if (corrected !== null) original.history.push({ what: 'corrected', to: corrected });
  return { reason: 'V', purchase: original, status: 'reversed' };
}

/**
 * The amount that a reversal leaves, in the card's limit currency. Absent or zero replacement amounts
 * mean a full reversal; null when only amounts in other currencies were sent.
 */
export function correctedAmount(card: ReferenceCard, message: AuthorizationWire): number | null {
  const sent = (name: 'billing_amount' | 'settlement_amount' | 'transaction_amount') =>
    message.replacement_amounts?.[name] ?? message[`replacement_amounts.${name}`] ?? 0;
  if (sent('billing_amount') + sent('settlement_amount') + sent('transaction_amount') === 0) return 0;
  const limits_in = card.controls.currency ?? message.billing_currency;
  const amounts = [
    [sent('billing_amount'), message.billing_currency],
    [sent('transaction_amount'), message.merchant_currency],
  ] as const;
  return amounts.find(([amount, currency]) => amount !== 0 && currency === limits_in)?.[0] ?? null;
}

/** The field that a reversal must have when it has only amounts in other currencies. */
export function missingCorrection(card: ReferenceCard): string {
  return `replacement_amounts.${card.controls.currency === null ? 'billing_amount' : 'transaction_amount'}`;
}

/**
 * What reversals that arrived before their original leave of it: the smallest amount, or Infinity
 * when none waits. They are used by the first original with their trace_id; an advice of a decline is
 * none.
 */
function earlyCorrection(card: ReferenceCard, message: AuthorizationWire): number {
  const same_trace = card.messages.filter((answered) => answered.message.trace_id === message.trace_id);
  const originals = same_trace.filter(({ message: sent }) => kindOf(sent) !== 'reversal');
  const used = originals.some(({ message: sent }) => !(kindOf(sent) === 'advice' && declinedElsewhere(sent)));
  if (used) return Number.POSITIVE_INFINITY;
  // A reversal that follows an advice of a decline belongs to that one.
  const until = originals.length === 0 ? same_trace.length : same_trace.indexOf(originals[0]!);
  const early = same_trace.slice(0, until).map(({ message: sent }) => correctedAmount(card, sent));
  return Math.min(Number.POSITIVE_INFINITY, ...early.filter((amount) => amount !== null));
}

function declinedElsewhere(message: AuthorizationWire): boolean {
  return (message.response_code ?? '00') !== '00';
}

/**
 * Whether money is returned, by the first two digits of the processing code, which has two or six.
 */
export function isRefund(message: AuthorizationWire): boolean {
  const code = message.card_holder_transaction_type_code ?? '';
  return [2, 6].includes(code.length) && ['20', '28'].includes(code.slice(0, 2));
}

function allows(template: WorldTemplate, mcc: string): boolean {
  const listed = template.mcc_list.includes(mcc);
  return template.mcc_rule === 'ALLOW' ? listed : !listed;
}

function numericType(message: AuthorizationWire): string {
  const words = ['Authorization Request', 'Authorization Advice', 'Reversal Request', 'Reversal Advice'];
  const at = words.indexOf(message.message_type_indicator);
  return at === -1 ? message.message_type_indicator : ['0100', '0120', '0400', '0420'][at]!;
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
    response_code: elsewhere ?? listed.response_code,
    issuer_response: is_approved ? 'Approved' : 'Declined',
    approval_code: null,
    status: decision.status,
  };
}
