import { type Money, money } from '@tallystick/kernel';
import { windowAt } from '@tallystick/velocity';
import type { VirtualCard } from './card.ts';

/**
 * What a card may still be used for in its present window, and what that is made of: `available` is
 * `limit` less `cleared` less `held`. In minor units of the limit currency.
 */
export interface Balance {
  /** The total of a window. */
  readonly limit: Money;
  /** Debits less credits that cleared in the window; 0 when credits exceed debits. */
  readonly cleared: Money;
  /** The open holds of the window. */
  readonly held: Money;
  /** Negative after a clearing above the limit. */
  readonly available: Money;
  /** A window for ever begins when the card was created. */
  readonly window_start_ms: number;
  /** Null: never. */
  readonly window_end_ms: number | null;
  readonly uses: number;
  /** Null: unlimited. */
  readonly uses_left: number | null;
  /** The earliest end of the holds in `held`. Null: none of them ends. */
  readonly next_hold_end_ms: number | null;
}

/** The ends of the open holds in the window of a card's counters. */
export interface HoldEnds {
  /** The sum of the holds whose end has come, which the counters still include. */
  readonly held_past_end: Money;
  /** The earliest end after now; null: there is none. */
  readonly next_hold_end_ms: number | null;
}

export const no_hold_ends: HoldEnds = { held_past_end: money(0), next_hold_end_ms: null };

type CardOfBalance = Pick<
  VirtualCard,
  'recurring' | 'total_card_amount' | 'transactions_max' | 'created_at_ms' | 'counters'
>;

/**
 * The balance of a card. The counters may belong to an older window, and may still count ended holds.
 * The result is correct without a job that has run (service specification 2.1).
 */
export function balanceOf(card: CardOfBalance, ends: HoldEnds, now_ms: number): Balance {
  const { counters, total_card_amount: limit, transactions_max } = card;
  const is_counted = isCounted(card, now_ms);
  // The counters may be ahead of the clock of this machine.
  const window = windowOf(card, Math.max(now_ms, counters.window_start_ms));
  const is_for_ever = window.end_ms === Number.POSITIVE_INFINITY;
  const held = money(is_counted ? counters.held - ends.held_past_end : 0);
  const cleared = money(is_counted ? Math.max(0, counters.cleared) : 0);
  const uses = is_counted ? counters.uses : 0;
  return {
    limit,
    cleared,
    held,
    available: money(amountLeft(limit, { held, cleared })),
    window_start_ms: is_for_ever ? card.created_at_ms : window.start_ms,
    window_end_ms: is_for_ever ? null : window.end_ms,
    uses,
    uses_left: transactions_max === null ? null : Math.max(0, transactions_max - uses),
    next_hold_end_ms: is_counted ? ends.next_hold_end_ms : null,
  };
}

/** Whether the balance of the card depends on the ends of its holds. */
export function needsHoldEnds(card: CardOfBalance, now_ms: number): boolean {
  const { held, next_hold_end_ms } = card.counters;
  return held > 0 && next_hold_end_ms !== null && isCounted(card, now_ms);
}

/** Whether the counters are those of the present window. */
function isCounted(card: CardOfBalance, now_ms: number): boolean {
  return windowOf(card, now_ms).start_ms <= card.counters.window_start_ms;
}

function windowOf({ recurring }: CardOfBalance, at_ms: number) {
  return windowAt(recurring, at_ms);
}

/**
 * Returns what a window leaves of the total. Credits above the debits of the window do not raise
 * it above the total (decision: clearing).
 */
export function amountLeft(
  total_card_amount: number,
  { held, cleared }: { readonly held: number; readonly cleared: number },
): number {
  return total_card_amount - Math.max(0, cleared) - held;
}
