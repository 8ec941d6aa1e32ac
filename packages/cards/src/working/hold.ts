import { money } from '@tallystick/kernel';
import {
  type Authorization,
  approvedAmount,
  isRefundRoot,
  isStandingRoot,
  unclearedStatusOf,
} from '../records/authorization.ts';
import { isHoldOver } from '../records/hold-lifetime.ts';
import type { Entry, WorkingCard } from './working-card.ts';

/**
 * Whether this is a root whose hold may still change: not yet cleared, reversed or past its end.
 */
function isLive(authorization: Authorization, now_ms: number): boolean {
  return (
    isStandingRoot(authorization) &&
    (authorization.status === 'open' || authorization.status === 'partially_cleared') &&
    !isHoldOver(authorization, now_ms)
  );
}

/**
 * The open authorization that an incremental message adds to: the newest with its trace id, also
 * when its window is over. Verifications and refunds hold nothing, so nothing is added to them. An
 * authorization that an advice lowered to 0 is no verification: it still is a use. A clearing makes
 * a verification a use, too, but nothing can be added to it whichever of the two came first.
 */
export function openRoot(card: WorkingCard, trace_id: string): Entry | null {
  const isMoreThanVerified = ({ authorized, uses, uncleared_uses }: Entry['now']) =>
    authorized > 0 || (uncleared_uses ?? uses) > 0;
  const open = ({ now }: Entry) => isLive(now, card.now_ms) && !isRefundRoot(now) && isMoreThanVerified(now);
  return card.findByTraceId(trace_id).findLast(open) ?? null;
}

/**
 * Adds an increment to the hold. It is not another use, and it ends when the hold ends. A hold that
 * begins with the increment ends like one that is made now.
 */
export function increase(card: WorkingCard, root: Entry, amount: number): void {
  const now = card.copyToChange(root);
  if (amount > 0 && now.held === 0 && now.hold_end_ms === null) now.hold_end_ms = card.holdEnd();
  card.move(root, { held: amount });
  now.authorized = money(now.authorized + amount);
}

/**
 * The authorization whose decision an advice with this trace id reports: the newest whose hold may
 * still change, else the newest. Null when the decision is not one of ours.
 */
export function reportedRoot(card: WorkingCard, trace_id: string): Entry | null {
  const standing = card.findByTraceId(trace_id).filter(({ now }) => isStandingRoot(now));
  return standing.findLast(({ now }) => isLive(now, card.now_ms)) ?? standing.at(-1) ?? null;
}

/**
 * The newest advice of an approval that arrived before its request, which would be the first with
 * this trace id. Also one that was declined, because it came after its reversal.
 */
export function adviceBeforeRequest(card: WorkingCard, trace_id: string): Entry | null {
  const traced = card.findByTraceId(trace_id);
  if (traced.some(({ now }) => now.message_type === '0100' && !now.incremental)) return null;
  const isPurchase = (now: Authorization) => now.message_type === '0120' && !now.incremental && !isRefundRoot(now);
  return traced.findLast(({ now }) => isOriginal(now) && isPurchase(now)) ?? null;
}

/** Whether this is a root that is no advice of a decline. */
export function isOriginal({ id, root_id, message_type, status, decline_code }: Authorization): boolean {
  return root_id === id && !(message_type === '0120' && status === 'declined' && decline_code === null);
}

/**
 * How much an advice of `amount` changes the hold of the authorization that it reports: the amount
 * less the one that was reported before it, which is that of the newest earlier advice, else that
 * of the authorization as sent. 0 when the hold cannot change any more (decision: network side, 2).
 * Negative when the advice lowers the hold.
 */
export function reportedRise(card: WorkingCard, { now: root }: Entry, amount: number): number {
  if (!isLive(root, card.now_ms) || isRefundRoot(root)) return 0;
  const advice = card.findByTraceId(root.trace_id).findLast(({ now }) => isAdviceAbout(now, root));
  const before = advice?.now ?? root;
  return amount - (isRefundRoot(before) ? 0 : approvedAmount(card.card, before));
}

function isAdviceAbout(message: Authorization, root: Authorization): boolean {
  const { id, root_id, message_type, incremental } = message;
  return id !== root.id && root_id === root.id && message_type === '0120' && !incremental;
}

/**
 * Changes the authorized amount and the hold by what an advice reported. Neither falls below 0. A
 * hold that begins with the advice ends like one that is made now. An open authorization that holds
 * nothing any more has no end, like a verification.
 */
export function applyReported(card: WorkingCard, root: Entry, rise: number): void {
  if (rise === 0) return;
  const now = card.copyToChange(root);
  if (rise > 0 && now.held === 0 && now.hold_end_ms === null) now.hold_end_ms = card.holdEnd();
  now.authorized = money(Math.max(0, now.authorized + rise));
  card.move(root, { held: Math.max(0, now.held + rise) - now.held });
  if (now.held === 0 && now.status === 'open') now.hold_end_ms = null;
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
 * amount stays: only a credit lowers it. The authorization is reversed whether or not its hold had
 * ended by itself. One that was released by hand stays so.
 */
export function reverseInFull(card: WorkingCard, root: Entry): void {
  const { held, uses, status } = root.now;
  const is_unpaid = status === 'open' || status === 'expired' || (status === 'released' && root.now.cleared <= 0);
  card.move(root, { held: -held, uses: is_unpaid ? -uses : 0 });
  const now = card.copyToChange(root);
  now.authorized = money(0);
  if (now.uncleared_status !== null) now.uncleared_uses = 0;
  if (unclearedStatusOf(now) === 'released') return;
  now.hold_end_ms = endOf(card, root);
  if (status !== 'cleared') now.status = 'reversed';
  if (now.uncleared_status !== null) now.uncleared_status = 'reversed';
}

/**
 * The end of a hold that a message or a person ends now: later than the parts that have cleared. One
 * that comes later leaves the authorization partially cleared (`clearRoot`).
 */
function endOf(card: WorkingCard, { now: { id } }: Entry): number {
  return Math.max(card.now_ms, card.lastClearedAt(id) + 1);
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

/**
 * Ends the hold by hand, at this instant. The use stays, and a later clearing still finds the
 * authorization.
 */
export function release(card: WorkingCard, root: Entry): void {
  card.move(root, { held: -root.now.held });
  const now = card.copyToChange(root);
  now.status = 'released';
  now.hold_end_ms = endOf(card, root);
  if (now.uncleared_status !== null) now.uncleared_status = 'released';
}
