import type { CardOf } from '@tallystick/samples';

/**
 * Cards of a set that is not loaded: ids as an empty database would assign them, and numbers that
 * belong to no card.
 */
export const inventedCard: CardOf = (card) => ({
  vcn_id: card + 1,
  card_number: `54545454${String(card).padStart(8, '0')}`,
});
