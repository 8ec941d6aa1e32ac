import type { AuthorizationView, AuthorizationWire, ClearingView, ClearingWire } from '../system.ts';
import { holdEnd, type Recurring, type Span, windowOf } from './calendar.ts';

/** A card of the reference model: its controls, and its whole history. It has no counters. */
export interface ReferenceCard {
  readonly id: number;
  readonly card_number: string;
  readonly cvc: string;
  readonly expiry: string;
  status: 'Approved' | 'Canceled';
  controls: ReferenceControls;
  readonly notified: boolean;
  /** Every answered message about the card, in order, without duplicates. */
  readonly messages: AnsweredMessage[];
  readonly clearings: AnsweredClearing[];
}

/** The limits of a card; service specification 2.1 and 2.2. */
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
}

/** A message with its time and its answer. */
export interface AnsweredMessage {
  readonly message: AuthorizationWire;
  readonly at_ms: number;
  readonly answer: AuthorizationView;
  /** The purchase whose hold the message made or changed; null if there is none. */
  readonly purchase: Purchase | null;
}

/** An authorization that was approved here or elsewhere, and its history since. */
export interface Purchase {
  readonly message: AuthorizationWire;
  readonly at_ms: number;
  readonly approval_code: string | null;
  /** The id from the system, which `clear` returns as its authorization_id. */
  readonly id: number | null;
  /** In the card's limit currency. */
  readonly amount: number;
  /** Account verifications and refunds hold nothing and are not uses. */
  readonly holds_nothing: boolean;
  readonly window: Span;
  /** Null while it holds nothing, unless clearings took the hold. */
  hold_end_ms: number | null;
  readonly history: PurchaseChange[];
}

/** One change of a purchase after its approval. */
export type PurchaseChange =
  | { readonly what: 'increased'; readonly by: number }
  | { readonly what: 'corrected'; readonly to: number }
  /** An advice of its decision; `by` is the advised amount less the one reported before. */
  | { readonly what: 'reported'; readonly by: number }
  | { readonly what: 'reversed'; readonly at_ms: number }
  /** `effect` is the change of the cleared amount; negative for a credit. */
  | { readonly what: 'cleared'; readonly effect: number; readonly final: boolean; readonly debit: boolean }
  | { readonly what: 'credited'; readonly effect: number };

/** A clearing with its time and its outcome. */
export interface AnsweredClearing {
  readonly message: ClearingWire;
  readonly at_ms: number;
  readonly answer: ClearingView;
  readonly purchase: Purchase | null;
  readonly window: Span;
  /** The amount that it added to the cleared amount of its window. */
  readonly effect: number;
  /** Whether it is a debit without an authorization, which is a use of its window. */
  readonly counts_as_use: boolean;
}

/** The window of an instant. With aging velocity there is one window for ever. */
export function windowOn(card: ReferenceCard, at_ms: number): Span {
  return windowOf(card.controls.recurring ?? 'Continuous', at_ms);
}

/** The end of the hold of a purchase made now. Without aging velocity, 30 days later in UTC. */
export function holdEndOn(card: ReferenceCard, at_ms: number): number {
  const { authorization_hold_days, aging_velocity_time_zone } = card.controls;
  if (authorization_hold_days === null || aging_velocity_time_zone === null) return holdEnd(at_ms, 30, 'UTC');
  return holdEnd(at_ms, authorization_hold_days, aging_velocity_time_zone);
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

/** The authorized total: the amount, plus increments, minus reversals. */
export function authorizedAmount(purchase: Purchase): number {
  let authorized = purchase.amount;
  for (const change of purchase.history) {
    if (change.what === 'increased') authorized += change.by;
    if (change.what === 'corrected') authorized = Math.min(authorized, change.to);
    if (change.what === 'reported') authorized = Math.max(0, authorized + change.by);
    if (change.what === 'reversed') authorized = 0;
  }
  return authorized;
}

/** The cleared total: debits minus credits. */
export function clearedAmount(purchase: Purchase): number {
  return sum(purchase.history.map((change) => ('effect' in change ? change.effect : 0)));
}

/** Whether its hold has aged off. */
export function agedOff(purchase: Purchase, now_ms: number): boolean {
  return purchase.hold_end_ms !== null && now_ms >= purchase.hold_end_ms;
}

/** The amount that the purchase holds now, after all changes of its history. */
export function holdOf(purchase: Purchase, now_ms: number): number {
  if (agedOff(purchase, now_ms)) return 0;
  let held = purchase.amount;
  let authorized = purchase.amount;
  for (const change of purchase.history) {
    switch (change.what) {
      case 'increased':
        authorized += change.by;
        held += change.by;
        break;
      case 'corrected': {
        const reduction = Math.max(0, authorized - change.to);
        authorized -= reduction;
        held = Math.max(0, held - reduction);
        break;
      }
      case 'reported':
        authorized = Math.max(0, authorized + change.by);
        held = Math.max(0, held + change.by);
        break;
      case 'reversed':
        authorized = 0;
        held = 0;
        break;
      case 'cleared':
        held = change.final ? 0 : Math.max(0, held - Math.max(0, change.effect));
        break;
    }
  }
  return held;
}

export function wasReversed(purchase: Purchase): boolean {
  return purchase.history.some((change) => change.what === 'reversed');
}

export function purchasesOf(card: ReferenceCard): Purchase[] {
  const purchases = card.messages.map((answered) => answered.purchase).filter((purchase) => purchase !== null);
  return [...new Set(purchases)];
}

/** The total of open holds of a window. */
export function heldIn(card: ReferenceCard, window: Span, now_ms: number): number {
  const purchases = purchasesOf(card).filter((purchase) => purchase.window.start_ms === window.start_ms);
  return sum(purchases.map((purchase) => holdOf(purchase, now_ms)));
}

/** Debits less credits of a window; may be below 0. */
export function clearedIn(card: ReferenceCard, window: Span): number {
  const clearings = card.clearings.filter((clearing) => clearing.window.start_ms === window.start_ms);
  return sum(clearings.map((clearing) => clearing.effect));
}

/** Uses of the current window: purchases that are uses, and debits without a purchase. */
export function usesOf(card: ReferenceCard, now_ms: number): number {
  const { start_ms } = windowOn(card, now_ms);
  const purchases = purchasesOf(card).filter((purchase) => purchase.window.start_ms === start_ms && isUse(purchase));
  const forced = card.clearings.filter((clearing) => clearing.window.start_ms === start_ms && clearing.counts_as_use);
  return purchases.length + forced.length;
}

/**
 * A purchase that a debit cleared is always a use. Any other purchase is a use unless it held
 * nothing or was reversed in full.
 */
function isUse(purchase: Purchase): boolean {
  const was_debited = purchase.history.some((change) => change.what === 'cleared' && change.debit);
  return was_debited || (!purchase.holds_nothing && !wasReversed(purchase));
}

/** What a window leaves of the total. A cleared amount below 0 counts as 0. */
export function availableIn(card: ReferenceCard, window: Span, now_ms: number): number {
  return card.controls.total_card_amount - Math.max(0, clearedIn(card, window)) - heldIn(card, window, now_ms);
}

/** The total for the current window, minus the cleared amount, minus the held amount. */
export function availableBalance(card: ReferenceCard, now_ms: number): number {
  return availableIn(card, windowOn(card, now_ms), now_ms);
}

/**
 * The status of a purchase as a client reads it now. The final clearing ends its history. A purchase
 * without a clearing expires when its hold ends.
 */
export function statusOf(purchase: Purchase, now_ms: number): string {
  let status = 'open';
  for (const change of purchase.history) {
    if (status === 'cleared') break;
    // A late reversal does not bring an expired authorization back.
    if (change.what === 'reversed' && status !== 'expired') {
      status = status === 'open' && agedOff(purchase, change.at_ms) ? 'expired' : 'reversed';
    }
    if (change.what === 'cleared') status = change.final ? 'cleared' : 'partially_cleared';
  }
  return status === 'open' && agedOff(purchase, now_ms) ? 'expired' : status;
}

export function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}
