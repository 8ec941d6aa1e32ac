import {
  authorizationItem,
  type CardReading,
  clearingItem,
  masked_cvc,
  type RevealedNumber,
  type VirtualCard,
} from '@tallystick/cards';
import { maskNumber } from '@tallystick/kernel';
import { type Shown, showAs } from '../fields.ts';
import { code_failures, virtual_card } from './shapes.ts';

/**
 * A virtual card as answers show it (service specification 2.1). Its number and code are masked
 * unless revealed.
 */
export function presentVirtualCard(reading: CardReading, revealed: RevealedNumber | undefined) {
  const { card, available_balance, authorizations, clearings } = reading;
  return showAs(virtual_card, {
    ...card,
    id: String(card.id),
    available_balance,
    authorizations: authorizations.map((one) => authorizationItem(one, card)) as Shown<
      typeof virtual_card
    >['authorizations'],
    clearings: clearings.map((clearing) => clearingItem(clearing, card)),
    card_number: revealed?.card_number ?? maskNumber(card.last4),
    cvc: revealed?.cvc ?? masked_cvc,
    network_data: card.network_data ?? {},
    authorization_hold_days: card.authorization_hold_days ?? undefined,
    aging_velocity_time_zone: card.aging_velocity_time_zone ?? undefined,
    type: 'virtualcard',
    url: `/v1/virtualcards/${card.id}`,
  });
}

export function presentCodeFailures(card: VirtualCard) {
  return showAs(code_failures, { ...card, id: String(card.id), code_failures: 0, type: 'code_failures' });
}
