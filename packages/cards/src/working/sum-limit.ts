import { amount_max, Refusal, sum_max } from '@tallystick/kernel';
import type { Records } from '../records/clearing.ts';
import type { Entry, WorkingCard } from './working-card.ts';

/**
 * The most that a window may hold and have cleared, and that one authorization may have authorized
 * or cleared, in minor units. It leaves room for the total of a card, so that the available balance
 * is an amount, too.
 */
export const window_sum_max: number = sum_max - amount_max;

/**
 * What a message would change: the sums of a window, and those of an authorization, if it has one.
 */
interface SumChange {
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
  const { held: held_now, cleared: cleared_now } = card.counted(change.window_start_ms);
  const sums = [
    ...sumsOf({ held: held_now + held, cleared: cleared_now + cleared }),
    ...(root === null ? [] : [root.authorized + authorized, Math.abs(root.cleared + cleared)]),
  ];
  if (sums.every(isWithinLimit)) return null;
  return new Refusal('conflict', `a sum of virtual card ${card.card.id} would pass ${window_sum_max} minor units`);
}

/** Whether the sums of these records, or of the windows in which they count, passed the limit. */
export function passesSumLimit(card: WorkingCard, { roots, clearings }: Records): boolean {
  const starts = new Set([...roots, ...clearings].map(({ window_start_ms }) => window_start_ms));
  const windows = [...starts].flatMap((start_ms) => sumsOf(card.counted(start_ms)));
  return ![...windows, ...roots.map(({ cleared }) => Math.abs(cleared))].every(isWithinLimit);
}

function sumsOf({ held, cleared }: { readonly held: number; readonly cleared: number }): readonly number[] {
  return [Math.max(0, cleared) + held, -cleared];
}

function isWithinLimit(sum: number): boolean {
  return sum <= window_sum_max;
}
