import type { StandingActs } from '../acts/standing-acts.ts';
import { fingerprintOf } from '../item.ts';
import { itemIdOf, recordsOf } from '../item-id.ts';
import { membersOf } from './item-amounts.ts';
import { type PartsOf, partsOf } from './item-parts.ts';

/**
 * The records, by `itemIdOf`, of the items that a person ignored as they are without covering sets.
 * No covering set takes them into another item. A decision that has lapsed keeps no record.
 */
export function ignoredRecords({ decisions }: Pick<StandingActs, 'decisions'>, group: PartsOf): ReadonlySet<number> {
  if (!decisions.values().some(({ action }) => action === 'ignore')) return new Set();
  const ignored = partsOf(group)
    .map(membersOf)
    .filter((members) => decisions.get(fingerprintOf({ ...members, kind: null }))?.action === 'ignore');
  return new Set(ignored.flatMap(recordsOf).map(itemIdOf));
}
