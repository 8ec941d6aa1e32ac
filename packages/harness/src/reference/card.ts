import type {
  AuthorizationView,
  AuthorizationWire,
  BalanceView,
  ClearingView,
  ClearingWire,
  HoldDays,
  MerchantControlsWire,
} from '../system.ts';
import { holdEnd, type Recurring, type Span, windowOf } from './calendar.ts';
import type { Case } from './cases.ts';
import type { HandDecision } from './hand-decision.ts';
import { holdOf, isUse, type Purchase, sum } from './purchase.ts';

/** A card of the reference model: its controls, and its whole history. It has no counters. */
export interface ReferenceCard {
  readonly id: number;
  readonly card_number: string;
  readonly cvc: string;
  readonly expiry: string;
  status: 'Approved' | 'Canceled';
  is_frozen: boolean;
  readonly created_at_ms: number;
  controls: ReferenceControls;
  readonly notified: boolean;
  /** Every answered message about the card, in order, without duplicates. */
  readonly messages: AnsweredMessage[];
  readonly clearings: AnsweredClearing[];
  /** How many messages there were when its wrong codes were last forgotten. */
  messages_at_reset: number;
  /** Counts that the run reached a case. */
  readonly note: (reached: Case) => void;
}

/** The limits and details of a card; service specification 2.1 and 2.2. */
export interface ReferenceControls {
  readonly total_card_amount: number;
  readonly per_transaction_min: number;
  /** Null if the client named none; then the total is the limit. */
  readonly per_transaction_max: number | null;
  readonly transactions_max: number | null;
  readonly recurring: Recurring | null;
  readonly authorization_hold_days: number | null;
  readonly aging_velocity_time_zone: string | null;
  readonly currency: string | null;
  readonly valid_starting_on: string;
  readonly valid_ending_on: string;
  readonly template_id: number;
  readonly merchant_controls: MerchantControlsWire | null;
  readonly emails: readonly string[] | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly supplier_id: number | null;
}

/** A message with its time and its answer. */
export interface AnsweredMessage {
  readonly message: AuthorizationWire;
  readonly at_ms: number;
  readonly answer: AuthorizationView;
  /** The purchase whose hold the message made or changed; null if there is none. */
  readonly purchase: Purchase | null;
}

/** A clearing with its time and its outcome, which later messages may change. */
export interface AnsweredClearing {
  /**
   * As it was sent; of two copies, with the characters of the network reference that either knows.
   */
  message: ClearingWire;
  /** Its transaction id, that of the network first when it came with two. */
  ids: readonly string[];
  readonly at_ms: number;
  /** As the clearing is now. */
  readonly answer: ClearingView;
  purchase: Purchase | null;
  /** The earlier clearing that it undoes, disputes or refunds. */
  earlier: AnsweredClearing | null;
  /** What people decided about it, oldest first. */
  decisions: readonly HandDecision[];
  /** Whether rule 1 or 2 has matched it: for good. */
  is_final: boolean;
  window: Span;
  /** The amount that it added to the cleared amount of its window. */
  effect: number;
  /** Whether it is a debit without an authorization, which is a use of its window. */
  counts_as_use: boolean;
  /** Whether a decision is made as if it had not come. */
  is_taken_out: boolean;
}

/** The window of an instant. With aging velocity there is one window for ever. */
export function windowOn(card: ReferenceCard, at_ms: number): Span {
  return windowOf(card.controls.recurring ?? 'Continuous', at_ms);
}

/**
 * The end of a hold made now; null if it never ends. Without aging velocity the company's number of
 * days counts, by the same rule with the zone UTC (decision: windows and holds).
 */
export function holdEndOn(card: ReferenceCard, at_ms: number, company_hold_days: HoldDays): number | null {
  const { authorization_hold_days, aging_velocity_time_zone } = card.controls;
  if (authorization_hold_days !== null && aging_velocity_time_zone !== null) {
    return holdEnd(at_ms, authorization_hold_days, aging_velocity_time_zone);
  }
  return company_hold_days === 'never' ? null : holdEnd(at_ms, company_hold_days ?? 30, 'UTC');
}

/** Limits are in the card's currency if it has one, else in the real card's billing currency. */
export function limitAmount(
  card: ReferenceCard,
  message: { readonly billing_amount: number; readonly merchant_amount: number },
): number {
  return card.controls.currency === null ? message.billing_amount : message.merchant_amount;
}

export function perTransactionMax(controls: ReferenceControls): number {
  return controls.per_transaction_max ?? controls.total_card_amount;
}

export function purchasesOf(card: ReferenceCard): Purchase[] {
  const purchases = card.messages.map((answered) => answered.purchase).filter((purchase) => purchase !== null);
  return [...new Set(purchases)];
}

/** The total of open holds of a window. */
function heldIn(card: ReferenceCard, window: Span, now_ms: number): number {
  const purchases = purchasesOf(card).filter((purchase) => purchase.window.start_ms === window.start_ms);
  return sum(purchases.map((purchase) => holdOf(purchase, now_ms)));
}

/** The net cleared amount of a window. It is below 0 when a credit arrives before its debit. */
function clearedIn(card: ReferenceCard, window: Span): number {
  const clearings = card.clearings.filter(
    (clearing) => clearing.window.start_ms === window.start_ms && !clearing.is_taken_out,
  );
  return sum(clearings.map((clearing) => clearing.effect));
}

/** Uses of the current window: purchases that are uses, and debits without a purchase. */
export function usesOf(card: ReferenceCard, now_ms: number): number {
  return usesIn(card, windowOn(card, now_ms));
}

export function usesIn(card: ReferenceCard, { start_ms }: Span): number {
  const purchases = purchasesOf(card).filter((purchase) => purchase.window.start_ms === start_ms && isUse(purchase));
  const forced = card.clearings.filter(
    (clearing) => clearing.window.start_ms === start_ms && clearing.counts_as_use && !clearing.is_taken_out,
  );
  return purchases.length + forced.length;
}

export function availableBalance(card: ReferenceCard, now_ms: number): number {
  return availableIn(card, windowOn(card, now_ms), now_ms);
}

/** What the available balance is made of. */
export function balanceOf(card: ReferenceCard, now_ms: number): BalanceView {
  const window = windowOn(card, now_ms);
  const is_for_ever = !Number.isFinite(window.end_ms);
  const { total_card_amount, transactions_max } = card.controls;
  const uses = usesOf(card, now_ms);
  const ends = purchasesOf(card)
    .filter((purchase) => purchase.window.start_ms === window.start_ms && holdOf(purchase, now_ms) > 0)
    .flatMap(({ hold_end_ms }) => hold_end_ms ?? []);
  return {
    limit: total_card_amount,
    cleared: Math.max(0, clearedIn(card, window)),
    held: heldIn(card, window, now_ms),
    available: availableBalance(card, now_ms),
    window_start_ms: is_for_ever ? card.created_at_ms : window.start_ms,
    window_end_ms: is_for_ever ? null : window.end_ms,
    uses,
    uses_left: transactions_max === null ? null : Math.max(0, transactions_max - uses),
    next_hold_end_ms: ends.length === 0 ? null : Math.min(...ends),
  };
}

/** The total, minus the amount used in the window. */
export function availableIn(card: ReferenceCard, window: Span, now_ms: number): number {
  return card.controls.total_card_amount - usedIn(card, window, now_ms);
}

/** The cleared amount of a window and its holds. A cleared amount below 0 counts as 0. */
export function usedIn(card: ReferenceCard, window: Span, now_ms: number): number {
  return Math.max(0, clearedIn(card, window)) + heldIn(card, window, now_ms);
}
