import type { Lookup } from '@tallystick/cards';
import type { State } from '../storage/state.ts';

/** Returns the id of the card that a message is about; null when the number is unknown. */
export function cardIdOf({ card_ids, cards }: State, message: Lookup): number | null {
  if (message.number_index !== null) return card_ids.get(message.number_index.toHex()) ?? null;
  const id = message.vcn_id;
  return id !== null && cards.has(id) ? id : null;
}
