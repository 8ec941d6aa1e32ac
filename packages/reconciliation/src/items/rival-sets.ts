import type { Alternative, Item } from '../item.ts';
import { itemIdOf, recordsOf } from '../item-id.ts';
import { recordNamesOf } from '../record-name.ts';
import { type FindingStore, findItems } from './find-item.ts';

/** How many rivals the reason of a covering set names. */
const rivals_named_max = 5;

/** Of how many covering sets of an item the rivals are looked up. */
const sets_max = 10;

/**
 * The alternatives of an item. The reason of each covering set names its rivals: the other sets with
 * one of its records, which are why none was chosen. They are found among the alternatives of the
 * items that have these records. For a read of one item: lists of items name no rivals.
 */
export async function withRivals(
  store: FindingStore,
  { company_id, alternatives }: Item,
): Promise<readonly Alternative[]> {
  const sets = alternatives.filter(isCoveringSet).slice(0, sets_max);
  if (sets.length === 0) return alternatives;
  const items = await findItems(store, company_id, sets.flatMap(recordsOf));
  const known = new Map(
    [...alternatives, ...[...items.values()].flatMap((item) => item.alternatives)]
      .filter(isCoveringSet)
      .map((set) => [recordNamesOf(set), set]),
  );
  return alternatives.map((one) => (sets.includes(one) ? { ...one, reason: reasonOf(one, known) } : one));
}

function isCoveringSet({ rule }: Alternative): boolean {
  return rule === 'covering_set';
}

function reasonOf(set: Alternative, known: ReadonlyMap<string, Alternative>): string {
  const members = new Set(recordsOf(set).map(itemIdOf));
  const rivals = [...known]
    .filter(([name]) => name !== recordNamesOf(set))
    .filter(([, rival]) => recordsOf(rival).some((record) => members.has(itemIdOf(record))))
    .map(([name]) => name);
  if (rivals.length === 0) return set.reason;
  const more = rivals.length > rivals_named_max ? ` and ${rivals.length - rivals_named_max} more` : '';
  return `${set.reason}: ${rivals.slice(0, rivals_named_max).join('; ')}${more}`;
}
