import { type Call, isSameJson } from '@tallystick/kernel';
import type { VirtualCard } from './card.ts';
import { cardStateOf, endCardVersion } from './card-version.ts';
import type { CardsTx } from './ports.ts';

/**
 * Writes a changed card. When its state differs, keeps the old one under its number, and returns
 * the card with the next number.
 */
export async function changeCard(
  tx: Pick<CardsTx, 'cards'>,
  call: Call,
  card: VirtualCard,
  changed: VirtualCard,
): Promise<VirtualCard> {
  const is_same = isSameJson(cardStateOf(card), cardStateOf(changed));
  const next = is_same ? changed : { ...changed, controls_version: card.controls_version + 1 };
  if (!is_same) await tx.cards.keepVersion(endCardVersion(card, call));
  await tx.cards.update(next);
  return next;
}
