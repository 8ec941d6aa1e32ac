import { amount_max, Refusal, sum_max } from '@tallystick/kernel';
import type { Entry, WorkingCard } from './working-copy.ts';

/**
 * The most that a window may hold and have cleared, and that one authorization may have authorized
 * or cleared, in minor units. It leaves room for the total of a card, so that the available balance
 * is an amount, too.
 */
export const window_sum_max: number = sum_max - amount_max;

/**
 * What a message would change: the sums of a window, and those of an authorization, if it has one.
 */
export interface SumChange {
  readonly window_start_ms: number;
  readonly root: Pick<Entry['now'], 'authorized' | 'cleared'> | null;
  readonly held?: number;
  readonly cleared?: number;
  readonly authorized?: number;
}

/**
 * The refusal of a message that would take a sum past `window_sum_max`; null when it does not. Only
 * advices and clearings can, because a request is bounded by the total of its card. The message can
 * be applied later, when other messages have lowered the sum.
 */
export function refuseSum(card: WorkingCard, change: SumChange): Refusal | null {
  const { root, held = 0, cleared = 0, authorized = 0 } = change;
  const counted = card.counted(change.window_start_ms);
  const cleared_sum = counted.cleared + cleared;
  const sums = [
    Math.max(0, cleared_sum) + counted.held + held,
    -cleared_sum,
    ...(root === null ? [] : [root.authorized + authorized, Math.abs(root.cleared + cleared)]),
  ];
  if (sums.every((sum) => sum <= window_sum_max)) return null;
  return new Refusal('conflict', `a sum of virtual card ${card.card.id} would pass ${window_sum_max} minor units`);
}
