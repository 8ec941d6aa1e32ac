import { type Call, type EndedVersion, endVersion } from '@tallystick/kernel';
import type { Controls, VirtualCard } from './card.ts';

/** What of a card decisions depend on and people change. Its versions are numbered. */
export type CardState = Controls & Pick<VirtualCard, 'status' | 'frozen_at_ms'>;

/** A state of a card that is over. `version` is the `controls_version` that the card had then. */
export interface CardVersion extends EndedVersion<CardState> {
  readonly card_id: number;
}

const state_names = Object.keys({
  status: true,
  frozen_at_ms: true,
  per_transaction_min: true,
  per_transaction_max: true,
  per_transaction_max_defaulted: true,
  total_card_amount: true,
  transactions_max: true,
  recurring: true,
  authorization_hold_days: true,
  aging_velocity_time_zone: true,
  currency: true,
  valid_starting_on: true,
  valid_ending_on: true,
  template_id: true,
  merchant_controls: true,
} satisfies Readonly<Record<keyof CardState, true>>) as readonly (keyof CardState)[];

/** Returns the part of a card that its versions keep. */
export function cardStateOf(card: CardState): CardState {
  return Object.fromEntries(state_names.map((name) => [name, card[name]])) as unknown as CardState;
}

/** Returns the present state of a card as a version that the call ends. */
export function endCardVersion(
  card: CardState & Pick<VirtualCard, 'id' | 'controls_version'>,
  call: Pick<Call, 'now_ms' | 'actor' | 'request_id'>,
): CardVersion {
  return { card_id: card.id, ...endVersion(card.controls_version, cardStateOf(card), call) };
}
