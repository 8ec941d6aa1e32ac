import type { Call } from '@tallystick/kernel';
import type { VirtualCard } from './card.ts';
import { toCardEvent, toCardPayload } from './card-event.ts';
import { changeCard } from './change-card.ts';
import type { CardsTx } from './ports.ts';
import { findCard, readBalance } from './read-cards.ts';

/**
 * Cancels a card permanently, and writes the event virtualcard.deleted. A Canceled card stays as it
 * is, without a second event. Refuses (`not_found`) an unknown card.
 */
export async function cancelCard(tx: Pick<CardsTx, 'cards' | 'events'>, call: Call, id: number): Promise<VirtualCard> {
  const card = await findCard(tx, call, id, { for_update: true });
  if (card.status === 'Canceled') return card;
  const canceled = await changeCard(tx, call, card, { ...card, status: 'Canceled', canceled_at_ms: call.now_ms });
  const { available } = await readBalance(tx, call, card);
  const payload = toCardPayload(canceled, available);
  await tx.events.append([toCardEvent('virtualcard.deleted', call, payload, toCardPayload(card, available))]);
  return canceled;
}
