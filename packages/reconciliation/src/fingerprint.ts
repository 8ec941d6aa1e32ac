import type { ItemContent } from './item.ts';

/**
 * The members and amounts of an item, in short. A decision of a person holds while the item has the
 * fingerprint that the person saw (decision: reconciliation). It contains ids and amounts only.
 */
export function fingerprintOf(
  item: Pick<
    ItemContent,
    'authorization_ids' | 'clearing_ids' | 'line_ids' | 'authorized' | 'cleared' | 'stated' | 'fees'
  >,
): string {
  const members = [item.authorization_ids, item.clearing_ids, item.line_ids].map((ids) => ids.join(','));
  const amounts = [item.authorized, item.cleared, item.stated, item.fees].map((amount) => amount ?? '');
  return [...members, ...amounts].join('|');
}
