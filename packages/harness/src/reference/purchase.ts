import type { AuthorizationWire } from '../system.ts';
import type { Span } from './calendar.ts';

/** An authorization that was approved here or elsewhere, and its history since. */
export interface Purchase {
  readonly message: AuthorizationWire;
  readonly at_ms: number;
  readonly approval_code: string | null;
  /** The id from the system, which `clear` returns as its authorization_id. */
  readonly id: number | null;
  /** The amount that the message contains, in the card's limit currency; 0 for a refund. */
  readonly sent: number;
  /**
   * The amount that was decided: the sent one, or less after a reversal in part that came first. An
   * amount of 0 holds nothing and is no use.
   */
  readonly amount: number;
  readonly window: Span;
  /** From then on it holds nothing; null: never, or nothing was held so far. */
  hold_end_ms: number | null;
  readonly history: PurchaseChange[];
}

/** One change of a purchase after its approval, and when it came. */
export type PurchaseChange = { readonly at_ms: number } & (
  | { readonly what: 'increased'; readonly by: number }
  /** An advice said `amount`; `by` is 0 if the advice was only recorded. */
  | { readonly what: 'advised'; readonly amount: number; readonly by: number }
  | { readonly what: 'corrected'; readonly to: number }
  | { readonly what: 'reversed' }
  | { readonly what: 'released' }
  /** `effect` is the change of the cleared amount; negative for a credit. */
  | { readonly what: 'cleared'; readonly effect: number; readonly final: boolean; readonly debit: boolean }
  | { readonly what: 'credited'; readonly effect: number }
);

/** A purchase at one instant, after all changes of its history. */
export interface Standing {
  /** The amount, plus increments and what advices added, minus what reversals took. */
  authorized: number;
  held: number;
  status: string;
  /** Whether its hold has ended by time or by hand. */
  hold_is_over: boolean;
  /**
   * Whether it is a use. A debit always is one, and anything that held an amount until a reversal
   * in full gives the use back. A release by hand leaves the use.
   */
  is_use: boolean;
  /** Whether a debit has cleared. */
  is_paid: boolean;
}

/** Replays the history of a purchase. */
export function standingOf(purchase: Purchase, now_ms: number): Standing {
  const { amount } = purchase;
  const is_use = amount > 0;
  const standing = { authorized: amount, held: amount, status: 'open', hold_is_over: false, is_use, is_paid: false };
  for (const change of purchase.history) {
    endHold(purchase, standing, change.at_ms);
    apply(purchase, standing, change);
  }
  endHold(purchase, standing, now_ms);
  return standing;
}

/**
 * From its end on, a hold holds nothing. A purchase without a clearing is then expired (service
 * specification 2.2; decision: windows and holds).
 */
function endHold(purchase: Purchase, standing: Standing, at_ms: number): void {
  if (purchase.hold_end_ms === null || at_ms < purchase.hold_end_ms) return;
  standing.held = 0;
  standing.hold_is_over = true;
  if (standing.status === 'open') standing.status = 'expired';
}

function apply(purchase: Purchase, standing: Standing, change: PurchaseChange): void {
  switch (change.what) {
    case 'increased':
      standing.authorized += change.by;
      standing.held += change.by;
      break;
    case 'advised':
      standing.authorized = Math.max(0, standing.authorized + change.by);
      standing.held = Math.max(0, standing.held + change.by);
      break;
    case 'corrected': {
      const reduction = Math.max(0, standing.authorized - change.to);
      standing.authorized -= reduction;
      standing.held = Math.max(0, standing.held - reduction);
      break;
    }
    case 'reversed':
      standing.authorized = 0;
      standing.held = 0;
      if (!isPaid(purchase, standing, change)) standing.is_use = false;
      // A cleared, expired or released one keeps its status.
      if (['open', 'partially_cleared'].includes(standing.status)) standing.status = 'reversed';
      break;
    case 'released':
      standing.held = 0;
      standing.hold_is_over = true;
      standing.status = 'released';
      break;
    case 'cleared':
      if (change.debit) standing.is_use = true;
      if (change.debit) standing.is_paid = true;
      standing.held = change.final ? 0 : Math.max(0, standing.held - Math.max(0, change.effect));
      if (standing.status !== 'cleared') standing.status = change.final ? 'cleared' : 'partially_cleared';
      break;
  }
}

/**
 * Whether something of it had cleared when it was reversed. A released one shows that only by its
 * cleared amount.
 */
function isPaid(purchase: Purchase, { status, is_paid }: Standing, reversal: PurchaseChange): boolean {
  if (status !== 'released') return is_paid;
  const before = purchase.history.slice(0, purchase.history.indexOf(reversal));
  return sum(before.map((change) => ('effect' in change ? change.effect : 0))) > 0;
}

export function statusOf(purchase: Purchase, now_ms: number): string {
  return standingOf(purchase, now_ms).status;
}

/** The amount that the purchase holds now. */
export function holdOf(purchase: Purchase, now_ms: number): number {
  return standingOf(purchase, now_ms).held;
}

/** The authorized total. It does not depend on the time. */
export function authorizedAmount(purchase: Purchase): number {
  return standingOf(purchase, purchase.at_ms).authorized;
}

/** The cleared total: debits minus credits. It may be negative. */
export function clearedAmount(purchase: Purchase): number {
  return sum(purchase.history.map((change) => ('effect' in change ? change.effect : 0)));
}

/** Whether it can still grow: it is open or partially cleared, and its hold has not ended. */
export function isLive(purchase: Purchase, now_ms: number): boolean {
  const { status, hold_is_over } = standingOf(purchase, now_ms);
  return ['open', 'partially_cleared'].includes(status) && !hold_is_over;
}

/** The amount that the network named before: in the newest advice, else in the message itself. */
export function reportedAmount(purchase: Purchase): number {
  return purchase.history.findLast((change) => change.what === 'advised')?.amount ?? purchase.sent;
}

/** Whether it counts as a use of its window now. */
export function isUse(purchase: Purchase): boolean {
  return standingOf(purchase, purchase.at_ms).is_use;
}

export function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}
