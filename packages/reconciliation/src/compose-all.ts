import type { Act } from './act.ts';
import { standingActs } from './acts.ts';
import { composeItems } from './compose-items.ts';
import { findCoveringSets, leftoversOf, pairingsOf } from './covering-sets.ts';
import type { ItemContent } from './item.ts';
import { type FrozenRecords, nothing_frozen } from './item-parts.ts';
import type { Coverage } from './judge-item.ts';
import { pairRecords } from './pair-records.ts';
import type { ReconciliationRecords } from './records.ts';

/** Everything that the items of a company are made of. */
export interface CompanyRecords {
  /** All that are not frozen. */
  readonly records: ReconciliationRecords;
  readonly acts: readonly Act[];
  readonly frozen?: FrozenRecords;
  readonly coverage: Coverage;
  readonly now_ms: number;
}

/**
 * Composes all items of a company at once. What is kept up to date in parts must equal this,
 * whatever the order and the parts in which records arrived.
 */
export function composeAll({ records, acts, frozen, coverage, now_ms }: CompanyRecords): readonly ItemContent[] {
  const { hands, decisions } = standingActs(acts);
  const paired = pairRecords(records, hands);
  const { applied, offers } = findCoveringSets(leftoversOf(records, paired), hands.bars);
  return composeItems({
    records,
    pairings: [...paired, ...applied.flatMap(pairingsOf)],
    offers,
    decisions,
    frozen: frozen ?? nothing_frozen,
    coverage,
    now_ms,
  });
}
