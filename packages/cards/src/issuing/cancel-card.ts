import type { Call } from '@tallystick/kernel';
import type { VirtualCard } from './card.ts';
import { toCardEvent, toCardPayload } from './card-event.ts';
import type { CardsTx } from './ports.ts';
import { balanceOf, findCard } from './read-cards.ts';

/**
 * Cancels a card permanently, and writes the event virtualcard.deleted. A Canceled card stays as it
 * is, without a second event. Refuses (`not_found`) an unknown card.
 */
export async function cancelCard(tx: Pick<CardsTx, 'cards' | 'events'>, call: Call, id: number): Promise<VirtualCard> {
  const card = await findCard(tx, call, id, { for_update: true });
  if (card.status === 'Canceled') return card;
  const canceled: VirtualCard = { ...card, status: 'Canceled', canceled_at_ms: call.now_ms };
  await tx.cards.update(canceled);
  const balance = await balanceOf(tx, call, card);
  const payload = toCardPayload(canceled, balance);
  await tx.events.append([toCardEvent('virtualcard.deleted', call, payload, toCardPayload(card, balance))]);
  return canceled;
}
