import type { Counters } from './card.ts';

/**
 * The wrong codes of a card in one UTC day after which every code counts as wrong until the day is
 * over (decision: codes cannot be guessed).
 */
export const code_failures_max = 10;

type CodeCounters = Pick<Counters, 'code_failures' | 'code_failures_on'>;

/**
 * The wrong codes of a card that count on this UTC date. A date never goes back: a machine whose
 * clock is behind counts on the later date of another.
 */
export function codeFailuresOn({ code_failures, code_failures_on }: CodeCounters, date: string): number {
  return code_failures_on !== null && code_failures_on >= date ? code_failures : 0;
}

/**
 * How many wrong codes a pass counted, and how many cards reached the maximum: from the cards before
 * it and their counters after it. For the metrics.
 */
export function countedCodeFailures(
  { cards }: { readonly cards: readonly { readonly id: number; readonly counters: CodeCounters }[] },
  { counters }: { readonly counters: readonly { readonly card_id: number; readonly counters: CodeCounters }[] },
): { readonly failures: number; readonly lockouts: number } {
  const before = new Map(cards.map((card) => [card.id, card.counters]));
  let failures = 0;
  let lockouts = 0;
  for (const { card_id, counters: after } of counters) {
    const known = before.get(card_id);
    if (known === undefined || after.code_failures_on === null) continue;
    const earlier = codeFailuresOn(known, after.code_failures_on);
    failures += after.code_failures - earlier;
    if (after.code_failures === code_failures_max && earlier < code_failures_max) lockouts += 1;
  }
  return { failures, lockouts };
}
