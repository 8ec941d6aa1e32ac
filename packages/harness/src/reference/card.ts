import type { AuthorizationView, AuthorizationWire, ClearingView, ClearingWire } from '../system.ts';
import { holdEnd, type Recurring, type Span, windowOf } from './calendar.ts';

/** A card of the reference model: its controls, and everything that ever happened to it. No counters. */
export interface ReferenceCard {
  readonly id: number;
  readonly card_number: string;
  readonly cvc: string;
  readonly expiry: string;
  status: 'Approved' | 'Canceled';
  controls: ReferenceControls;
  readonly notified: boolean;
  /** Every message about the card, answered, in order; duplicates are not in it twice. */
  readonly messages: ToldMessage[];
  readonly clearings: ToldClearing[];
}

/** What the card may be used for; service specification 2.1 and 2.2. */
export interface ReferenceControls {
  readonly total_card_amount: number;
  readonly per_transaction_min: number;
  /** Null: the client named none, so it is the total. */
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

/** A message, when it came and how it was answered. */
export interface ToldMessage {
  readonly message: AuthorizationWire;
  readonly at_ms: number;
  readonly answer: AuthorizationView;
  /** The purchase whose hold it made or changed; null when it touched none. */
  readonly purchase: Purchase | null;
}

/** An authorization that was approved here or elsewhere, and its story since. */
export interface Purchase {
  readonly message: AuthorizationWire;
  readonly at_ms: number;
  readonly approval_code: string | null;
  /** Told by the system: what `clear` answers as its authorization_id. */
  readonly id: number | null;
  /** In the card's limit currency. */
  readonly amount: number;
  /** Account verifications and refunds: they hold nothing and are no use. */
  readonly holds_nothing: boolean;
  readonly window: Span;
  /** Null without aging velocity. */
  readonly hold_end_ms: number | null;
  readonly story: Chapter[];
}

/** One thing that happened to a purchase after it was approved. */
export type Chapter =
  | { readonly what: 'increased'; readonly by: number }
  | { readonly what: 'corrected'; readonly to: number }
  | { readonly what: 'reversed' }
  /** `effect` is what it added to the cleared amount; negative for a credit. */
  | { readonly what: 'cleared'; readonly effect: number; readonly final: boolean; readonly debit: boolean }
  | { readonly what: 'credited'; readonly effect: number };

/** A clearing, when it came and what became of it. */
export interface ToldClearing {
  readonly message: ClearingWire;
  readonly at_ms: number;
  readonly answer: ClearingView;
  readonly purchase: Purchase | null;
  readonly window: Span;
  /** What it added to the cleared amount of its window. */
  readonly effect: number;
  /** A debit without an authorization is a use of its window. */
  readonly counts_as_use: boolean;
}

/** The window of an instant; aging velocity has one for ever. */
export function windowOn(card: ReferenceCard, at_ms: number): Span {
  return windowOf(card.controls.recurring ?? 'Continuous', at_ms);
}

/** When the hold of a purchase made now would end; null without aging velocity. */
export function holdEndOn(card: ReferenceCard, at_ms: number): number | null {
  const { authorization_hold_days, aging_velocity_time_zone } = card.controls;
  if (authorization_hold_days === null || aging_velocity_time_zone === null) return null;
  return holdEnd(at_ms, authorization_hold_days, aging_velocity_time_zone);
}

/** Limits are in the card's currency when it has one, else in the real card's billing currency. */
export function limitAmount(
  card: ReferenceCard,
  message: { readonly billing_amount: number; readonly merchant_amount: number },
): number {
  return card.controls.currency === null ? message.billing_amount : message.merchant_amount;
}

export function perTransactionMax(controls: ReferenceControls): number {
  return controls.per_transaction_max ?? controls.total_card_amount;
}

/** What was authorized in sum: the amount, plus increments, less reversals. */
export function authorizedAmount(purchase: Purchase): number {
  let authorized = purchase.amount;
  for (const chapter of purchase.story) {
    if (chapter.what === 'increased') authorized += chapter.by;
    if (chapter.what === 'corrected') authorized = Math.min(authorized, chapter.to);
    if (chapter.what === 'reversed') authorized = 0;
  }
  return authorized;
}

/** What its clearings took in sum, less what was given back. */
export function clearedAmount(purchase: Purchase): number {
  return sum(purchase.story.map((chapter) => ('effect' in chapter ? chapter.effect : 0)));
}

/** Whether its hold has come to its end by itself. */
export function agedOff(purchase: Purchase, now_ms: number): boolean {
  return purchase.hold_end_ms !== null && now_ms >= purchase.hold_end_ms;
}

/** What the purchase holds now: all that its story left of it. */
export function holdOf(purchase: Purchase, now_ms: number): number {
  if (purchase.holds_nothing || agedOff(purchase, now_ms)) return 0;
  let held = purchase.amount;
  let authorized = purchase.amount;
  for (const chapter of purchase.story) {
    switch (chapter.what) {
      case 'increased':
        authorized += chapter.by;
        held += chapter.by;
        break;
      case 'corrected': {
        const reduction = Math.max(0, authorized - chapter.to);
        authorized -= reduction;
        held = Math.max(0, held - reduction);
        break;
      }
      case 'reversed':
        authorized = 0;
        held = 0;
        break;
      case 'cleared':
        held = chapter.final ? 0 : Math.max(0, held - chapter.effect);
        break;
    }
  }
  return held;
}

export function wasReversed(purchase: Purchase): boolean {
  return purchase.story.some((chapter) => chapter.what === 'reversed');
}

export function purchasesOf(card: ReferenceCard): Purchase[] {
  const purchases = card.messages.map((told) => told.purchase).filter((purchase) => purchase !== null);
  return [...new Set(purchases)];
}

/** Open holds of a window, in sum. */
export function heldIn(card: ReferenceCard, window: Span, now_ms: number): number {
  const purchases = purchasesOf(card).filter((purchase) => purchase.window.start_ms === window.start_ms);
  return sum(purchases.map((purchase) => holdOf(purchase, now_ms)));
}

/** Net cleared amount of a window. */
export function clearedIn(card: ReferenceCard, window: Span): number {
  const clearings = card.clearings.filter((clearing) => clearing.window.start_ms === window.start_ms);
  return sum(clearings.map((clearing) => clearing.effect));
}

/** Uses of the present window: purchases that are one, and debits that came without any. */
export function usesOf(card: ReferenceCard, now_ms: number): number {
  const { start_ms } = windowOn(card, now_ms);
  const purchases = purchasesOf(card).filter((purchase) => purchase.window.start_ms === start_ms && isUse(purchase));
  const forced = card.clearings.filter((clearing) => clearing.window.start_ms === start_ms && clearing.counts_as_use);
  return purchases.length + forced.length;
}

/** A purchase that a debit cleared is a use, whatever else befell it; any other is one unless it was for nothing or reversed in full. */
function isUse(purchase: Purchase): boolean {
  const was_debited = purchase.story.some((chapter) => chapter.what === 'cleared' && chapter.debit);
  return was_debited || (!purchase.holds_nothing && !wasReversed(purchase));
}

/** Total for the present window, less what was cleared, less what is held. */
export function availableBalance(card: ReferenceCard, now_ms: number): number {
  const window = windowOn(card, now_ms);
  return card.controls.total_card_amount - clearedIn(card, window) - heldIn(card, window, now_ms);
}

/**
 * The status of a purchase as a reader sees it now. The final clearing ends its story; one with no clearing expires when
 * its hold ends.
 */
export function statusOf(purchase: Purchase, now_ms: number): string {
  let status = 'open';
  for (const chapter of purchase.story) {
    if (status === 'cleared') break;
    if (chapter.what === 'reversed') status = 'reversed';
    if (chapter.what === 'cleared') status = chapter.final ? 'cleared' : 'partially_cleared';
  }
  return status === 'open' && agedOff(purchase, now_ms) ? 'expired' : status;
}

export function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}
