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
  window: Span;
  /** From then on it holds nothing; null: never, or nothing was held so far. */
  hold_end_ms: number | null;
  /** What the network reported of it after its approval, in the order of arrival. */
  readonly history: PurchaseChange[];
  /**
   * What of it has cleared, in the canonical order. Computed again with each message of the card.
   */
  cleared: readonly Cleared[];
}

/** One change of a purchase after its approval, and when it came. */
export type PurchaseChange = { readonly at_ms: number } & (
  | { readonly what: 'increased'; readonly by: number }
  /** An advice reported `amount`; `by` is 0 if the advice was only recorded. */
  | { readonly what: 'advised'; readonly amount: number; readonly by: number }
  | { readonly what: 'corrected'; readonly to: number }
  | Ending
);

/** A reversal in full, or a release by hand. */
interface Ending {
  readonly what: 'reversed' | 'released';
  /** After all of it that had cleared then, and not after a part that came since. */
  end_ms: number;
}

/**
 * A clearing of a purchase: `effect` is the change of the cleared amount, negative for a credit.
 */
export interface Cleared {
  readonly clearing: { readonly at_ms: number; readonly is_taken_out: boolean };
  readonly effect: number;
  /** How it changes the hold and the status; null for a credit, which changes neither. */
  readonly settles: { readonly final: boolean; readonly debit: boolean } | null;
}

/** A purchase at one instant, after all changes of its history and all its clearings. */
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
}

/** Replays the history of a purchase, then its clearings. */
export function standingOf(purchase: Purchase, now_ms: number): Standing {
  const standing = standingBeforeClearings(purchase, now_ms);
  for (const cleared of countedClearings(purchase)) {
    const { effect, settles } = cleared;
    if (settles === null) continue;
    const { final, debit } = settles;
    if (debit) standing.is_use = true;
    standing.held = final ? 0 : Math.max(0, standing.held - Math.max(0, effect));
    if (final) standing.status = 'cleared';
    else if (standing.status !== 'cleared' && !isBeforeEnd(purchase, cleared, standing.status)) {
      standing.status = 'partially_cleared';
    }
  }
  return standing;
}

/** Reverses a purchase in full, or releases its hold. */
export function end({ history, cleared }: Purchase, what: Ending['what'], now_ms: number): void {
  const last_ms = Math.max(0, ...cleared.map(({ clearing }) => clearing.at_ms));
  history.push({ what, at_ms: now_ms, end_ms: Math.max(now_ms, last_ms + 1) });
}

/** A part has come: it is after the end, also in the same instant. */
export function comeAfterEnd({ history, cleared }: Purchase, clearing: Cleared['clearing']): void {
  const settles = cleared.find((known) => known.clearing === clearing)?.settles;
  if (settles?.final !== false) return;
  for (const ending of history.filter(isEnding)) ending.end_ms = Math.min(ending.end_ms, clearing.at_ms);
}

/**
 * Whether a part came before the purchase was reversed or released, which is its status then: only a
 * part that comes later makes it partially cleared.
 */
function isBeforeEnd({ history }: Purchase, { clearing }: Cleared, status: string): boolean {
  const ending = history.filter(isEnding).findLast(({ what }) => what === status);
  return ending !== undefined && clearing.at_ms < ending.end_ms;
}

function isEnding(change: PurchaseChange): change is PurchaseChange & Ending {
  return change.what === 'reversed' || change.what === 'released';
}

/** The purchase as if nothing of it had cleared. */
export function standingBeforeClearings(purchase: Purchase, now_ms: number): Standing {
  const { amount } = purchase;
  const standing = { authorized: amount, held: amount, status: 'open', hold_is_over: false, is_use: amount > 0 };
  for (const change of purchase.history) {
    endHold(purchase, standing, change.at_ms);
    apply(standing, change);
  }
  endHold(purchase, standing, now_ms);
  return standing;
}

/** Its clearings but those that are taken out for a decision. */
function countedClearings({ cleared }: Purchase): readonly Cleared[] {
  return cleared.filter(({ clearing }) => !clearing.is_taken_out);
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

function apply(standing: Standing, change: PurchaseChange): void {
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
      standing.hold_is_over = true;
      standing.is_use = false;
      // Also when its hold had ended by itself. One that was released stays so.
      if (standing.status !== 'released') standing.status = 'reversed';
      break;
    case 'released':
      standing.held = 0;
      standing.hold_is_over = true;
      standing.status = 'released';
      break;
  }
}

export function statusOf(purchase: Purchase, now_ms: number): string {
  return standingOf(purchase, now_ms).status;
}

export function holdOf(purchase: Purchase, now_ms: number): number {
  return standingOf(purchase, now_ms).held;
}

/** The authorized total. It does not depend on the time. */
export function authorizedAmount(purchase: Purchase): number {
  return standingOf(purchase, purchase.at_ms).authorized;
}

/** The cleared total: debits minus credits. It may be negative. */
export function clearedAmount(purchase: Purchase): number {
  return sum(countedClearings(purchase).map(({ effect }) => effect));
}

/** When its hold ended or ends: by hand or by time; null: never. */
export function holdEndOf({ history, hold_end_ms }: Purchase): number | null {
  return history.find(({ what }) => what === 'released')?.at_ms ?? hold_end_ms;
}

/** Whether it can still grow: it is open or partially cleared, and its hold has not ended. */
export function isLive(purchase: Purchase, now_ms: number): boolean {
  const { status, hold_is_over } = standingOf(purchase, now_ms);
  return ['open', 'partially_cleared'].includes(status) && !hold_is_over;
}

/** Whether it could still grow if nothing of it had cleared. */
export function isLiveBeforeClearings(purchase: Purchase, now_ms: number): boolean {
  const { status, hold_is_over } = standingBeforeClearings(purchase, now_ms);
  return status === 'open' && !hold_is_over;
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

/**
 * Whether money is returned, by the first two digits of the processing code, which has two or six.
 */
export function isRefund(message: AuthorizationWire): boolean {
  const code = message.card_holder_transaction_type_code ?? '';
  return [2, 6].includes(code.length) && ['20', '28'].includes(code.slice(0, 2));
}
