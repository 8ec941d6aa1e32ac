import { type ClearedAmount, isPairable, type StatementRecords } from '../records.ts';
import { cancelledGroupsOf } from './cancelled-clearings.ts';
import { entryKeyOfClearing, entryKeyOfLine, isPairingKey } from './entry-key.ts';
import { type HandPairs, type Pairing, pairByHand, pairLines } from './pair-lines.ts';

/**
 * Pairs the lines of a closed group of one company with its clearings, by the pairs of people and
 * by statement key. Of each currency and key all records that are not frozen must be there, and of
 * each clearing those that it refers to and those that refer to it.
 */
export function pairRecords({ clearings, lines: all_lines }: StatementRecords, hands: HandPairs): readonly Pairing[] {
  const lines = all_lines.filter(isPairable);
  const by_id = new Map(clearings.map((clearing) => [clearing.id, clearing]));
  const lines_by_id = new Map(lines.map((line) => [line.id, line]));
  const pairings = [...pairByHand(by_id, lines_by_id, hands.pins)];
  if (lines.length === 0) return pairings;
  const lines_by_key = Map.groupBy(lines, entryKeyOfLine);
  const by_key = Map.groupBy(clearings, entryKeyOfClearing);
  const cancelled = new Set(cancelledGroupsOf(clearings).flat());
  for (const [key, lines_of_key] of lines_by_key) {
    const of_key = by_key.get(key);
    if (of_key === undefined || !isPairingKey(key)) continue;
    const pairable = of_key.map((clearing) => ({
      ...clearing,
      purchase: purchaseOf(clearing, by_id),
      is_cancelled: cancelled.has(clearing.id),
    }));
    pairings.push(...pairLines(pairable, lines_of_key, hands));
  }
  return pairings;
}

/**
 * The purchase of a clearing: equal for its parts, reversals, disputes and refunds. `by_id` has the
 * clearings that these refer to.
 */
export function purchaseOf(
  clearing: Pick<ClearedAmount, 'id' | 'authorization_id' | 'clearing_id'>,
  by_id: ReadonlyMap<number, Pick<ClearedAmount, 'id' | 'authorization_id' | 'clearing_id'>>,
): string {
  const seen = new Set<number>();
  let { id, authorization_id, clearing_id } = clearing;
  // A clearing refers only to earlier ones; a circle would be a bug elsewhere, and ends here.
  while (authorization_id === null && clearing_id !== null && !seen.has(clearing_id)) {
    seen.add(clearing_id);
    const referred = by_id.get(clearing_id);
    if (referred === undefined) return `clearing ${clearing_id}`;
    ({ id, authorization_id, clearing_id } = referred);
  }
  return authorization_id === null ? `clearing ${id}` : `authorization ${authorization_id}`;
}
