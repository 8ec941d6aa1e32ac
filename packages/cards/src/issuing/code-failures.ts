import type { Counters } from './card.ts';

/**
 * The wrong codes of a card in one UTC day after which every code counts as wrong until the day is
 * over (decision: codes cannot be guessed).
 */
export const code_failures_max = 10;

/**
 * The wrong codes of a card that count on this UTC date. A date never goes back: a machine whose
 * clock is behind counts on the later date of another.
 */
export function codeFailuresOn(
  { code_failures, code_failures_on }: Pick<Counters, 'code_failures' | 'code_failures_on'>,
  date: string,
): number {
  return code_failures_on !== null && code_failures_on >= date ? code_failures : 0;
}
