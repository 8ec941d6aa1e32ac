import type { Act } from './act.ts';
import { itemIdOf } from './item-id.ts';

/** The records that an act concerns, as `itemIdOf` numbers them. */
export function recordsOfAct({ item_id, subject }: Pick<Act, 'item_id' | 'subject'>): readonly number[] {
  const { pairs, authorization } = subject;
  return [
    item_id,
    ...pairs.flatMap(({ line_id, clearing_id }) => [
      itemIdOf({ kind: 'line', id: line_id }),
      itemIdOf({ kind: 'clearing', id: clearing_id }),
    ]),
    ...(authorization === null ? [] : [itemIdOf({ kind: 'clearing', id: authorization.clearing_id })]),
  ];
}
