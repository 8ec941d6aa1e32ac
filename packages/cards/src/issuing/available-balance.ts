import { type Money, money } from '@tallystick/kernel';
import { windowAt } from '@tallystick/velocity';
import type { Controls, Counters } from './card.ts';

/**
 * Returns the amount that the card may still be used for, in minor units of its limit currency. It
 * is the total of the window that contains `now_ms`, less the amount cleared in that window and the
 * amount of open holds. It is negative after a clearing above the limit.
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
  return money(card.total_card_amount - card.counters.cleared - (card.counters.held - held_past_end));
}
