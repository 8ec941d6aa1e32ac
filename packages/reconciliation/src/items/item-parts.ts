import { itemIdOf, type RecordKind } from '../item-id.ts';
import { Groups } from '../pairing/clusters.ts';
import { compareClearings, compareLines, type Pairing } from '../pairing/pair-lines.ts';
import { type AuthorizedPurchase, hasItemOfLine, type ReconciliationRecords } from '../records.ts';
import { type FrozenRecords, frozenItemOf } from './frozen-records.ts';

/** The records of one item, with the pairings among them. */
export interface ItemRecords extends ReconciliationRecords {
  readonly pairings: readonly Pairing[];
  /** The frozen item for which they came (`frozenItemOf`); null when they are no late change. */
  readonly frozen_item_id: number | null;
}

/** The records of each item: those that authorizations, references and pairings join. */
export function partsOf({ records, pairings, frozen }: PartsOf): readonly ItemRecords[] {
  const { purchases, clearings, lines } = records;
  const groups = new Groups();
  for (const { id, authorization_id, clearing_id } of clearings) {
    const own = itemIdOf({ kind: 'clearing', id });
    groups.add(own);
    if (authorization_id !== null) groups.join(own, itemIdOf({ kind: 'authorization', id: authorization_id }));
    if (clearing_id !== null) groups.join(own, itemIdOf({ kind: 'clearing', id: clearing_id }));
  }
  for (const { line_id, clearing_id } of pairings) {
    groups.join(itemIdOf({ kind: 'line', id: line_id }), itemIdOf({ kind: 'clearing', id: clearing_id }));
  }
  const rootOf = (kind: RecordKind, id: number) => groups.rootOf(itemIdOf({ kind, id }));
  const in_order = clearings.toSorted(compareClearings);
  // Of several purchases in one item, that of the first clearing comes first.
  const places = new Map(in_order.map(({ authorization_id }, at) => [authorization_id, at] as const).reverse());
  const placeOf = ({ id }: AuthorizedPurchase) => places.get(id) ?? in_order.length;
  const open = purchases
    .filter(({ id, status }) => !frozen.authorizations.has(id) && status !== 'declined')
    .sort((a, b) => placeOf(a) - placeOf(b) || a.id - b.id);
  const purchases_of = Map.groupBy(open, ({ id }) => rootOf('authorization', id));
  const clearings_of = Map.groupBy(in_order, ({ id }) => rootOf('clearing', id));
  const lines_of = Map.groupBy(lines.toSorted(compareLines), ({ id }) => rootOf('line', id));
  const pairings_of = Map.groupBy(pairings, ({ line_id }) => rootOf('line', line_id));
  const roots = new Set([purchases_of, clearings_of, lines_of].flatMap((of_root) => [...of_root.keys()]));
  const parts = Array.from(roots, (root) => ({
    purchases: purchases_of.get(root) ?? [],
    clearings: clearings_of.get(root) ?? [],
    lines: lines_of.get(root) ?? [],
    pairings: pairings_of.get(root) ?? [],
  }));
  return parts.filter(hasItem).map((part) => ({ ...part, frozen_item_id: frozenItemOf(part, frozen) }));
}

/** What decides which records are in one item. */
export interface PartsOf {
  readonly records: ReconciliationRecords;
  readonly pairings: readonly Pairing[];
  readonly frozen: FrozenRecords;
}

/**
 * Whether records make an item. A declined authorization, a fully reversed one and one of 0 without
 * a clearing have none, and no line of another code than those of cards, unless it differs from its
 * statement or was kept.
 */
function hasItem({ purchases, clearings, lines }: ReconciliationRecords): boolean {
  return clearings.length > 0 || lines.some(hasItemOfLine) || purchases.some(({ authorized }) => authorized !== 0);
}
