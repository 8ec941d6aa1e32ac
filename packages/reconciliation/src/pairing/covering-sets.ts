import type { Steps } from '@tallystick/kernel';
import { pairsBetween, type StatementPair } from '../act.ts';
import { itemIdOf } from '../item-id.ts';
import { isPairable } from '../records.ts';
import { CoveringSearch, type CoveringSet, type FoundSets, type Leftovers, toSets } from './covering-search.ts';
import { type Pairing, pairing_days_max } from './pair-lines.ts';

export interface CoveringSets extends FoundSets {
  /** How many partial sets the search examined. */
  readonly examined: number;
}

/**
 * The sets of a record depend only on leftovers of its currency that are at most so many days away:
 * four steps of 3 days, from a record over a set of it and a common member to the candidates of the
 * record of another set.
 */
export const covering_reach_days = 4 * pairing_days_max;

/**
 * The records that covering sets may be made of: card lines without an acquirer reference that are
 * no fee, and clearings, that no pairing explains. A line with a reference belongs to the clearing
 * of that reference or to none. What a person ignored (`ignoredRecords`) stays as it is.
 */
export function leftoversOf(
  { clearings, lines }: Leftovers,
  pairings: readonly Pick<Pairing, 'line_id' | 'clearing_id' | 'fit'>[],
  ignored: ReadonlySet<number>,
): Leftovers {
  const line_ids = new Set(pairings.map(({ line_id }) => line_id));
  const clearing_ids = new Set(pairings.filter(({ fit }) => fit !== 'fee').map(({ clearing_id }) => clearing_id));
  return {
    clearings: clearings.filter(
      ({ id, amount }) => amount !== 0 && !clearing_ids.has(id) && !ignored.has(itemIdOf({ kind: 'clearing', id })),
    ),
    lines: lines.filter(
      (line) =>
        isPairable(line) &&
        !line.is_fee &&
        line.amount !== 0 &&
        !line_ids.has(line.id) &&
        !ignored.has(itemIdOf({ kind: 'line', id: line.id })) &&
        line.statement_key === null,
    ),
  };
}

/**
 * Finds the covering sets among leftovers of one company: one line for up to 5 clearings, or one
 * clearing for up to 5 lines of one account. All members have the currency and the sign of the
 * record that they make up, and are at most 3 days away from it; of more than 30 such the nearest
 * count. A set with a pair that a person undid is none. The result depends on which leftovers there
 * are, never on their order (decision: reconciliation, covering sets). A step for each record:
 * thousands may be left over on the same days.
 */
export function* findCoveringSets(leftovers: Leftovers, bars: readonly StatementPair[]): Steps<CoveringSets> {
  const search = new CoveringSearch();
  const subjects = search.add(leftovers, bars);
  const found = [...(yield* search.findSetsOf(subjects.lines)), ...(yield* search.findSetsOf(subjects.clearings))];
  return { ...toSets(found), examined: search.examined };
}

export function pairingsOf(set: CoveringSet): readonly Pairing[] {
  return pairsBetween(set).map((pair) => ({ ...pair, rule: 'covering_set', fit: 'exact', days: set.days }));
}
