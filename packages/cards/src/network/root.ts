import { money } from '@tallystick/kernel';
import type { Authorization } from './authorization.ts';
import type { ClearingMessage } from './clearing.ts';
import { isRefund } from './decline-reasons.ts';

/** Whether this is a root that was not declined. */
export function isStandingRoot(authorization: Authorization): boolean {
  return authorization.root_id === authorization.id && authorization.status !== 'declined';
}

/** Whether this is the root of a refund, which holds nothing (decision: network side, 3). */
export function isRefundRoot(authorization: Authorization): boolean {
  return isRefund(authorization.details.card_holder_transaction_type_code);
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
 * The authorization after an amount moved from held to cleared: the hold falls by `hold_effect`,
 * and the status shows whether more clearings follow. One that was reversed or released keeps that
 * status until the final clearing. A debit proves a use: an authorization without one (a
 * verification, or one that a reversal returned) takes one in its own window, and never more than
 * one.
 */
export function clearRoot(
  root: Authorization,
  {
    clearing_type,
    cleared_effect,
    hold_effect,
    partial,
  }: Pick<ClearingMessage, 'clearing_type' | 'partial'> & { cleared_effect: number; hold_effect: number },
): Authorization {
  const { status, uses } = root;
  const is_first = root.uncleared_status === null && status !== 'cleared' && status !== 'partially_cleared';
  const stays = status === 'cleared' || (partial && (status === 'reversed' || status === 'released'));
  return {
    ...root,
    held: money(root.held - hold_effect),
    uses: clearing_type === 'DEBIT' ? 1 : uses,
    cleared: money(root.cleared + cleared_effect),
    status: stays ? status : partial ? 'partially_cleared' : 'cleared',
    ...(is_first ? { uncleared_status: status, uncleared_uses: uses } : {}),
  };
}

/**
 * The authorization after a credit, or after a credit was undone. Its hold and status stay.
 */
export function creditRoot(root: Authorization, cleared_effect: number): Authorization {
  return { ...root, cleared: money(root.cleared + cleared_effect) };
}

/**
 * The authorization as its messages left it, as if no clearing had come. While its hold is live it
 * holds what is authorized.
 */
export function withoutClearings(root: Authorization, now_ms: number): Authorization {
  const { status, uses } = statusWithoutClearings(root);
  const is_over = isHoldOver(root, now_ms);
  return {
    ...root,
    status: status === 'open' && is_over && root.authorized > 0 ? 'expired' : status,
    held: status === 'open' && !is_over ? root.authorized : money(0),
    cleared: money(0),
    uses,
    uncleared_status: null,
    uncleared_uses: null,
  };
}

function statusWithoutClearings({
  status,
  uses,
  authorized,
  hold_end_ms,
  uncleared_status,
  uncleared_uses,
}: Authorization): Pick<Authorization, 'status' | 'uses'> {
  const is_cleared = status === 'cleared' || status === 'partially_cleared';
  if (uncleared_status !== null && uncleared_uses !== null) {
    return { status: is_cleared ? uncleared_status : status, uses: uncleared_uses };
  }
  if (!is_cleared) return { status, uses };
  // A version without these two columns recorded the first clearing.
  const is_reversed = authorized === 0 && hold_end_ms !== null;
  return { status: is_reversed ? 'reversed' : 'open', uses: authorized > 0 ? 1 : 0 };
}
