import type { RealCard } from '@tallystick/cards';
import { toInstantText } from '@tallystick/kernel';
import { showAs } from '../fields.ts';
import { real_card } from './shapes.ts';

/** A real card as answers show it. */
export function presentRealCard(card: RealCard) {
  return showAs(real_card, {
    ...card,
    id: String(card.id),
    rcn_id: card.id,
    rcn_alias: card.alias,
    created_at: toInstantText(card.created_at_ms),
    type: 'realcard',
    url: `/v1/realcards/${card.id}`,
  });
}
