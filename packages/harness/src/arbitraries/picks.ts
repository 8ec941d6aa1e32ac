import fc from 'fast-check';
import { purchasesOf, type ReferenceCard } from '../reference/card.ts';

/** One of the items for an integer of any size; undefined if there are none. */
export function pick<Item>(items: readonly Item[], at: number): Item | undefined {
  return items.length === 0 ? undefined : items[at % items.length];
}

/** One of the preferred items for an integer of any size; one of all if none is preferred. */
export function pickOf<Item>(
  items: readonly Item[],
  at: number,
  isPreferred: (item: Item) => boolean,
): Item | undefined {
  return pick(items.filter(isPreferred), at) ?? pick(items, at);
}

/** A card for an integer of any size: one with purchases, if there is one. */
export function pickUsed(cards: readonly ReferenceCard[], at: number): ReferenceCard {
  return pickOf(cards, at, (card) => purchasesOf(card).length > 0)!;
}

/** True once in this number of draws. It shrinks to false. */
export function seldom(one_in: number): fc.Arbitrary<boolean> {
  return fc.integer({ min: 0, max: one_in - 1 }).map((drawn) => drawn === one_in - 1);
}
