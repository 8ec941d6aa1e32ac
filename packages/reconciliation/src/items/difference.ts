import type { Difference, ItemMatch } from '../item.ts';
import { ascendingIds } from '../item-id.ts';
import type { CardLine, ClearedAmount } from '../records.ts';
import { sumOf } from './item-amounts.ts';

/** The same records with the same difference have the same text. */
export function differenceKeyOf({ authorization_id, clearing_ids, line_ids, amount }: Difference): string {
  return [authorization_id ?? '', clearing_ids, line_ids, amount].join('|');
}

export function sideOf({ authorization_id }: Difference): ItemMatch['side'] {
  return authorization_id === null ? 'statement' : 'authorization';
}

/** The difference of a set of lines and clearings. Fees do not count. */
export function differenceOfSet(clearings: readonly ClearedAmount[], lines: readonly CardLine[]): Difference {
  const stated = lines.filter(({ is_fee }) => !is_fee);
  const amount = sumOf(stated) - sumOf(clearings);
  return { authorization_id: null, clearing_ids: ascendingIds(clearings), line_ids: ascendingIds(stated), amount };
}

/**
 * What is left between an authorization and all its clearings: those matched to it, and the
 * reversals, refunds and disputes that refer to these.
 */
export function differenceOfPurchase(
  { id, authorized }: { readonly id: number; readonly authorized: number },
  clearings: readonly ClearedAmount[],
): Difference {
  const own_ids = new Set<number>();
  for (let size = -1; size !== own_ids.size; ) {
    size = own_ids.size;
    for (const { id: clearing_id, authorization_id, clearing_id: earlier_id } of clearings) {
      const is_own = authorization_id === id || (authorization_id === null && own_ids.has(earlier_id ?? 0));
      if (is_own) own_ids.add(clearing_id);
    }
  }
  const own = clearings.filter((clearing) => own_ids.has(clearing.id));
  return { authorization_id: id, clearing_ids: ascendingIds(own), line_ids: [], amount: sumOf(own) - authorized };
}
