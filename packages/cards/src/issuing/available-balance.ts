import { type Money, money } from '@tallystick/kernel';
import { windowAt } from '@tallystick/velocity';
import type { Controls, Counters } from './card.ts';

/**
 * Returns the amount that the card may still be used for, in minor units of its limit currency. It
 * is the total of the window that contains `now_ms`, less the amount cleared in that window and the
 * amount of open holds. A cleared amount below 0 counts as 0. The result is negative after a
 * clearing above the limit.
 *
 * The counters may belong to an older window, and may still count `held_past_end` of ended holds.
 * The result is correct without a job that has run (service specification 2.1).
 */
export function availableBalance(
  card: Pick<Controls, 'recurring' | 'total_card_amount'> & { readonly counters: Counters },
  held_past_end: number,
  now_ms: number,
): Money {
  const window = windowAt(card.recurring ?? 'Continuous', now_ms);
  if (window.start_ms > card.counters.window_start_ms) return card.total_card_amount;
  return money(amountLeft(card.total_card_amount, { ...card.counters, held: card.counters.held - held_past_end }));
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
