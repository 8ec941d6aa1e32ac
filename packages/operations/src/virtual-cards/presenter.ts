import {
  authorizationItem,
  type Balance,
  type CardReading,
  clearingItem,
  masked_cvc,
  type RevealedNumber,
  shownFreeze,
  type VirtualCard,
} from '@tallystick/cards';
import { maskNumber, toInstantText } from '@tallystick/kernel';
import { type Shown, showAs } from '../fields.ts';
import { balance as balance_shape, code_failures, virtual_card } from './shapes.ts';

/**
 * A virtual card as answers show it (service specification 2.1). Its number and code are masked
 * unless revealed.
 */
export function presentVirtualCard(reading: CardReading, revealed: RevealedNumber | undefined) {
  const { card, balance, authorizations, clearings } = reading;
  return showAs(virtual_card, {
    ...card,
    id: String(card.id),
    available_balance: balance.available,
    balance: presentBalance(balance),
    authorizations: authorizations.map((one) => authorizationItem(one, card)) as Shown<
      typeof virtual_card
    >['authorizations'],
    clearings: clearings.map((clearing) => clearingItem(clearing, card)),
    card_number: revealed?.card_number ?? maskNumber(card.last4),
    cvc: revealed?.cvc ?? masked_cvc,
    network_data: card.network_data ?? {},
    authorization_hold_days: card.authorization_hold_days ?? undefined,
    aging_velocity_time_zone: card.aging_velocity_time_zone ?? undefined,
    created_at: toInstantText(card.created_at_ms),
    ...shownFreeze(card),
    type: 'virtualcard',
    url: `/v1/virtualcards/${card.id}`,
  });
}

function presentBalance({ window_start_ms, window_end_ms, next_hold_end_ms, ...balance }: Balance) {
  return showAs(balance_shape, {
    ...balance,
    window_start: toInstantText(window_start_ms),
    window_ends: window_end_ms === null ? null : toInstantText(window_end_ms),
    next_hold_end: next_hold_end_ms === null ? null : toInstantText(next_hold_end_ms),
  });
}

export function presentCodeFailures(card: VirtualCard) {
  return showAs(code_failures, { ...card, id: String(card.id), code_failures: 0, type: 'code_failures' });
}
