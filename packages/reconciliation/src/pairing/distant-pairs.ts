import { pairsBetween, type StatementPair } from '../act.ts';
import type { ItemMatch } from '../item.ts';
import { clustersOf } from './clusters.ts';
import { type Pairing, pairing_days_max } from './pair-lines.ts';

/**
 * Whether a line joined a clearing by its reference although it was booked more than 3 days away
 * from the settlement. One item is better than two breaks, but the match is a proposal
 * (docs/adr/0040): the reference alone is not unique.
 */
export function isDistant({ rule, fit, days }: JoinedPair): boolean {
  return rule === 'ard' && fit === 'rest' && Math.abs(days) > pairing_days_max;
}

interface JoinedPair {
  readonly rule: string;
  readonly fit: unknown;
  readonly days: number;
}

/** Whether the match of an item is distant, as `isDistant` says of its pair. */
export function isDistantMatch({ rule, values }: Pick<ItemMatch, 'rule' | 'values'>): boolean {
  return isDistant({ rule, fit: values.fit, days: Number(values.days) });
}

/** How far a line is from its clearing: a clause for people. */
export function describeDistance({ days }: Pick<Pairing, 'days'>): string {
  const when = days < 0 ? 'before' : 'after';
  return `booked ${Math.abs(days)} days ${when} the settlement, and only up to ${pairing_days_max} are certain`;
}

/**
 * The pairs that a confirmation of distant matches keeps: all that are joined with one of them, so
 * that the lines and clearings stay together as the person saw them. Fees follow by themselves.
 */
export function pairsToConfirm(matches: readonly ItemMatch[]): readonly StatementPair[] {
  const joined = matches.filter(({ rule, values }) => rule === 'ard' && values.fit !== 'fee');
  const distant = joined.filter(isDistantMatch);
  if (distant.length === 0) return [];
  const clusters = clustersOf(joined).filter(({ line_ids }) =>
    distant.some((match) => match.line_ids.some((id) => line_ids.has(id))),
  );
  return joined
    .filter((match) => clusters.some(({ line_ids }) => match.line_ids.some((id) => line_ids.has(id))))
    .flatMap(pairsBetween);
}
