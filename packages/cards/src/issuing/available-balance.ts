import { type Money, money } from '@tallystick/kernel';
import { windowAt } from '@tallystick/velocity';
import type { Controls, Counters } from './card.ts';

/**
 * What the card may still be used for, in minor units of its limit currency: the total of the window that holds
 * `now_ms`, less what was cleared in it and what open holds hold. Negative after a clearing above the limit.
 *
 * The counters may belong to an older window, and may still count `held_past_end` of holds whose end has come: neither
 * needs a job to have run (service specification 2.1).
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
