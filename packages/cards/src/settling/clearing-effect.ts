import { money, scale } from '@tallystick/kernel';
import { limitAmountSent } from '../matching/match-authorization.ts';
import type { ClearingFacts } from '../matching/match-case.ts';
import type { Match } from '../matching/match-clearing.ts';
import {
  type Authorization,
  type AuthorizationStatus,
  isRefundRoot,
  unclearedStatusOf,
} from '../records/authorization.ts';
import { type Clearing, isDispute } from '../records/clearing.ts';
import { isHoldOver } from '../records/hold-lifetime.ts';
import type { LedgerCard } from '../records/ledger.ts';

/** The effect of a clearing on the counters of a card and on the hold of its authorization. */
interface Effect {
  readonly window_start_ms: number;
  readonly cleared_effect: number;
  readonly hold_effect: number;
  readonly uses: 0 | 1;
}

/**
 * The effect of a clearing: on the cleared amount of a window, on the hold, and whether it is a use
 * of its own. A credit has its full negative effect, and a message reversal exactly undoes the
 * effect of its clearing (decision: clearing). `own_window_start_ms` is the window of a clearing
 * that belongs to no record.
 */
export function effectOf(
  message: ClearingFacts,
  { authorization, clearing, rule }: Match,
  amount: number,
  own_window_start_ms: number,
): Effect {
  const window_start_ms = clearing?.window_start_ms ?? authorization?.window_start_ms ?? own_window_start_ms;
  const effect = { window_start_ms, cleared_effect: 0, hold_effect: 0, uses: 0 } as const;
  if (isDispute(message)) return effect;
  if (message.cycle === 'reversal' && clearing !== null && (rule === 1 || isDispute(clearing))) {
    return { ...effect, cleared_effect: 0 - clearing.cleared_effect };
  }
  if (message.clearing_type === 'CREDIT') return { ...effect, cleared_effect: 0 - amount };
  if (message.cycle === 'reversal') return { ...effect, cleared_effect: amount };
  return {
    ...effect,
    cleared_effect: amount,
    hold_effect: authorization === null ? 0 : holdTaken(authorization, amount, message.partial),
    // A debit without an authorization is a use of the card. The use of an authorization is on its
    // own row.
    uses: authorization === null ? 1 : 0,
  };
}

/** The authorization after a clearing with this effect. */
export function settledRoot(
  root: Authorization,
  clearing: SettledFields,
  effect: Pick<Effect, 'cleared_effect' | 'hold_effect'>,
): Authorization {
  if (isDispute(clearing)) return root;
  return isSettling(root, clearing) ? clearRoot(root, clearing, effect) : creditRoot(root, effect.cleared_effect);
}

type SettledFields = Pick<Clearing, 'cycle' | 'clearing_type' | 'partial' | 'recorded_at_ms'>;

/**
 * Whether the clearing settles the authorization. A credit does not change the hold of a purchase:
 * it settles the authorization of a refund.
 */
function isSettling(root: Authorization, { cycle, clearing_type }: SettledFields): boolean {
  return cycle === 'first_presentment' && (clearing_type === 'DEBIT' || isRefundRoot(root));
}

/**
 * The authorization after a clearing that has just come. A part that comes after the reversal or the
 * release clears it in part, also when both come in one instant or from clocks that differ.
 */
export function afterItsEnd(root: Authorization, clearing: SettledFields): Authorization {
  const { status, hold_end_ms } = root;
  if (!isEnded(unclearedStatusOf(root)) || !clearing.partial || !isSettling(root, clearing)) return root;
  const ended_ms = Math.min(hold_end_ms ?? clearing.recorded_at_ms, clearing.recorded_at_ms);
  return { ...root, status: status === 'cleared' ? status : 'partially_cleared', hold_end_ms: ended_ms };
}

/** Whether the hold was ended by a message or by hand. */
function isEnded(status: AuthorizationStatus): boolean {
  return status === 'reversed' || status === 'released';
}

/**
 * Whether a linked credit takes back more than its purchase cleared, net of the other credits of
 * the purchase (decision: clearing). The authorization of a refund has no purchase. `earlier` are
 * the clearings before it in the canonical order.
 */
export function exceedsPurchase(
  earlier: readonly Clearing[],
  { clearing_type }: ClearingFacts,
  { authorization, clearing }: Match,
  cleared_effect: number,
): boolean {
  if (clearing_type !== 'CREDIT' || cleared_effect >= 0) return false;
  if (authorization !== null) return !isRefundRoot(authorization) && authorization.cleared + cleared_effect < 0;
  return clearing !== null && netOf(clearing, earlier) + cleared_effect < 0;
}

/**
 * What a clearing without an authorization has cleared, net of its credits: its effect, that of the
 * clearings that refer to it, and that of the reversals of these.
 */
function netOf(clearing: Clearing, earlier: readonly Clearing[]): number {
  const ids = new Set([clearing.id]);
  let net: number = clearing.cleared_effect;
  // A clearing refers only to earlier ones.
  for (const { id, clearing_id, cleared_effect } of earlier) {
    if (clearing_id === null || !ids.has(clearing_id)) continue;
    ids.add(id);
    net += cleared_effect;
  }
  return net;
}

/**
 * The amount of the clearing in the card's limit currency. A card with currency control counts in
 * the merchant currency. When the clearing has no such amount, the billed amount is converted at
 * the rate of the authorization. Without an authorization the billed amount counts, and the
 * clearing needs review (`sure` is false).
 */
export function limitAmountOf(
  card: LedgerCard,
  message: ClearingFacts,
  root: Authorization | null,
): { readonly amount: number; readonly sure: boolean } {
  const { billing_amount } = message;
  const sent = limitAmountSent(message, card);
  if (sent !== null) return { amount: sent, sure: true };
  if (root === null || root.billing_amount === 0) return { amount: billing_amount, sure: false };
  return { amount: scale(billing_amount, root.merchant_amount, root.billing_amount), sure: false };
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
 * and the status shows whether more clearings follow. A part that came before the reversal or the
 * release leaves that status; one that came after it clears in part what was reversed or released
 * (decision: clearing). A debit proves a use: an authorization without one (a verification, or one
 * that a reversal returned) takes one in its own window, and never more than one.
 */
function clearRoot(
  root: Authorization,
  { clearing_type, partial, recorded_at_ms }: SettledFields,
  { cleared_effect, hold_effect }: Pick<Effect, 'cleared_effect' | 'hold_effect'>,
): Authorization {
  const { status, uses, hold_end_ms } = root;
  const is_first = root.uncleared_status === null;
  const stays = status === 'cleared' || (partial && isEnded(status) && recorded_at_ms < (hold_end_ms ?? 0));
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
function creditRoot(root: Authorization, cleared_effect: number): Authorization {
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

function statusWithoutClearings(root: Authorization): Pick<Authorization, 'status' | 'uses'> {
  return { status: unclearedStatusOf(root), uses: root.uncleared_uses ?? root.uses };
}
