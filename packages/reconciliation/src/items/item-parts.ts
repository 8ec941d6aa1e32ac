import { itemIdOf, type RecordKey } from '../item-id.ts';
import { Groups } from '../pairing/clusters.ts';
import { compareClearings, compareLines, type Pairing } from '../pairing/pair-lines.ts';
import {
  type AuthorizedPurchase,
  type CardLine,
  type ClearedAmount,
  hasItemOfLine,
  type ReconciliationRecords,
} from '../records.ts';
import { type FrozenRecords, frozenItemOf } from './frozen-records.ts';

/** The records of one item, with the pairings among them. */
export interface ItemRecords {
  readonly purchases: readonly AuthorizedPurchase[];
  readonly clearings: readonly ClearedAmount[];
  readonly lines: readonly CardLine[];
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
  const parts = new Map<number, Part>();
  const partOf = (kind: RecordKey['kind'], id: number): Part => {
    const root = groups.rootOf(itemIdOf({ kind, id }));
    const known = parts.get(root);
    if (known !== undefined) return known;
    const part: Part = { purchases: [], clearings: [], lines: [], pairings: [], frozen_item_id: null };
    parts.set(root, part);
    return part;
  };
  const in_order = clearings.toSorted(compareClearings);
  for (const clearing of in_order) {
    partOf('clearing', clearing.id).clearings.push(clearing);
  }
  for (const line of lines.toSorted(compareLines)) partOf('line', line.id).lines.push(line);
  for (const pairing of pairings) partOf('line', pairing.line_id).pairings.push(pairing);
  // Of several purchases in one item, that of the first clearing comes first.
  const places = new Map(in_order.map(({ authorization_id }, at) => [authorization_id, at] as const).reverse());
  const placeOf = ({ id }: AuthorizedPurchase) => places.get(id) ?? in_order.length;
  for (const purchase of purchases.toSorted((a, b) => placeOf(a) - placeOf(b) || a.id - b.id)) {
    if (frozen.authorizations.has(purchase.id) || purchase.status === 'declined') continue;
    partOf('authorization', purchase.id).purchases.push(purchase);
  }
  for (const part of parts.values()) part.frozen_item_id = frozenItemOf(part, frozen);
  return [...parts.values()].filter(hasItem);
}

/** What decides which records are in one item. */
interface PartsOf {
  readonly records: ReconciliationRecords;
  readonly pairings: readonly Pairing[];
  readonly frozen: FrozenRecords;
}

interface Part extends ItemRecords {
  readonly purchases: AuthorizedPurchase[];
  readonly clearings: ClearedAmount[];
  readonly lines: CardLine[];
  readonly pairings: Pairing[];
  frozen_item_id: number | null;
}

/**
 * Whether records make an item. A declined authorization, a fully reversed one and one of 0 without
 * a clearing have none, and no line of another code than those of cards, unless it differs from its
 * statement or was kept.
 */
function hasItem({ purchases, clearings, lines }: ItemRecords): boolean {
  return clearings.length > 0 || lines.some(hasItemOfLine) || purchases.some(({ authorized }) => authorized !== 0);
}
