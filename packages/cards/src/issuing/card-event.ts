import type { NewEvent, Payload } from '@tallystick/events';
import { type Call, toInstantText } from '@tallystick/kernel';
import type { Controls, VirtualCard } from './card.ts';

export const card_event_types = ['virtualcard.created', 'virtualcard.updated', 'virtualcard.deleted'] as const;

type CardEventType = (typeof card_event_types)[number];

type CardOfPayload = Pick<VirtualCard, 'id' | 'rcn_id' | 'rcn_alias' | 'status'> & Controls;

/** A card as its events show it (service specification 2.8). It contains no number and no code. */
export function toCardPayload(card: CardOfPayload, available_balance: number): Payload {
  return {
    id: card.id,
    available_balance,
    currency: card.currency,
    per_transaction_max: card.per_transaction_max,
    per_transaction_min: card.per_transaction_min,
    rcn_id: card.rcn_id,
    rcn_alias: card.rcn_alias,
    recurring: card.recurring,
    status: card.status,
    transactions_max: card.transactions_max,
    total_card_amount: card.total_card_amount,
    valid_starting_on: card.valid_starting_on,
    valid_ending_on: card.valid_ending_on,
  };
}

/** Whether and since when a card is frozen, as it is shown. */
export function shownFreeze({ frozen_at_ms }: { readonly frozen_at_ms: number | null }) {
  return { frozen: frozen_at_ms !== null, frozen_at: frozen_at_ms === null ? null : toInstantText(frozen_at_ms) };
}

/** The event of a change of a card by the call. `previous` is null for a new card. */
export function toCardEvent(type: CardEventType, call: Call, payload: Payload, previous: Payload | null): NewEvent {
  return {
    company_id: call.company_id,
    event_type: type,
    payload,
    previous,
    created_at_ms: call.now_ms,
    request_id: call.request_id,
  };
}
