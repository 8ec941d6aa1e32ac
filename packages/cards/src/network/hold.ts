import { money } from '@tallystick/kernel';
import type { Authorization } from './authorization.ts';
import type { ClearingMessage } from './clearing.ts';
import type { Entry, WorkingCard } from './working-copy.ts';

/** Whether this is a root that was not declined. */
export function isStandingRoot(authorization: Authorization): boolean {
  return authorization.root_id === authorization.id && authorization.status !== 'declined';
}

/**
 * The open authorization that an incremental message adds to: the newest with its trace id whose
 * hold counts in the window of the pass. Verifications and refunds hold nothing, so nothing is
 * added to them. A request after the window rolled over meets the limits of the new window as an
 * authorization of its own.
 */
export function openRoot(card: WorkingCard, trace_id: string): Entry | null {
  const open = ({ now }: Entry) =>
    isStandingRoot(now) &&
    (now.status === 'open' || now.status === 'partially_cleared') &&
    now.authorized > 0 &&
    now.window_start_ms === card.window_start_ms &&
    !isHoldOver(now, card.now_ms);
  return card.findByTraceId(trace_id).findLast(open) ?? null;
}

/** Adds an increment to the hold. It is not another use, and it ends when the hold ends. */
export function increase(card: WorkingCard, root: Entry, amount: number): void {
  card.move(root, { held: amount });
  const now = card.copyToChange(root);
  now.authorized = money(now.authorized + amount);
}

/**
 * The original of a reversal: the newest authorization with its trace id. One that still holds an
 * amount is preferred, and a declined one is the last choice. Null when the reversal arrived first.
 */
export function originalOf(card: WorkingCard, trace_id: string): Entry | null {
  const traced = card.findByTraceId(trace_id);
  const standing = traced.filter(({ now }) => isStandingRoot(now));
  return (
    standing.findLast(({ now }) => now.held > 0) ??
    standing.at(-1) ??
    traced.findLast(({ now }) => now.root_id === now.id) ??
    null
  );
}

/**
 * Releases the hold, and returns the use unless a clearing came first. A paid amount was a use;
 * otherwise a reversal after each clearing would make `transactions_max` endless. The cleared
 * amount stays: only a credit lowers it.
 */
export function reverseInFull(card: WorkingCard, root: Entry): void {
  const { held, uses, status } = root.now;
  const is_unpaid = status === 'open' || status === 'expired';
  card.move(root, { held: -held, uses: is_unpaid ? -uses : 0 });
  const now = card.copyToChange(root);
  now.authorized = money(0);
  if (now.status !== 'cleared') now.status = 'reversed';
}

/**
 * Lowers the authorized amount to the corrected one, and the hold by the same amount as far as it
 * reaches. Never raises either.
 */
export function reverseInPart(card: WorkingCard, root: Entry, corrected_amount: number): void {
  const reduction = Math.max(0, root.now.authorized - corrected_amount);
  if (reduction === 0) return;
  card.move(root, { held: -Math.min(reduction, root.now.held) });
  const now = card.copyToChange(root);
  now.authorized = money(now.authorized - reduction);
}

/** Whether the end of a hold has come (decision: windows and holds). */
export function isHoldOver(authorization: Authorization, now_ms: number): boolean {
  return authorization.hold_end_ms !== null && authorization.hold_end_ms <= now_ms;
}

/**
 * The part of the hold that a debit releases: its amount as far as the hold reaches, or all of it
 * for the final clearing.
 */
export function holdTaken(root: Authorization, amount: number, partial: boolean): number {
  return partial ? Math.min(amount, root.held) : root.held;
}

/**
 * Moves an amount from held to cleared: the hold falls by `hold_effect`, and the status shows
 * whether more clearings follow. A debit proves a use: an authorization without one (a
 * verification, or one that a reversal returned) takes one in its own window, and never more than
 * one.
 */
export function clearAgainst(
  card: WorkingCard,
  root: Entry,
  {
    clearing_type,
    cleared_effect,
    hold_effect,
    partial,
  }: Pick<ClearingMessage, 'clearing_type' | 'partial'> & { cleared_effect: number; hold_effect: number },
): void {
  card.move(root, { held: -hold_effect, uses: clearing_type === 'DEBIT' ? 1 - root.now.uses : 0 });
  const now = card.copyToChange(root);
  now.cleared = money(now.cleared + cleared_effect);
  if (now.status !== 'cleared') now.status = partial ? 'partially_cleared' : 'cleared';
}

/**
 * Lowers the cleared amount of an authorization, or raises it when a credit is undone. Its hold and
 * status stay.
 */
export function credit(card: WorkingCard, root: Entry, cleared_effect: number): void {
  const now = card.copyToChange(root);
  now.cleared = money(now.cleared + cleared_effect);
}
