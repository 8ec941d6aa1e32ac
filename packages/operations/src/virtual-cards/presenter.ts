import {
  authorizationItem,
  type CardReading,
  clearingItem,
  masked_cvc,
  type RevealedNumber,
  type VirtualCard,
} from '@tallystick/cards';
import { maskNumber } from '@tallystick/kernel';

/**
 * A virtual card as answers show it (service specification 2.1). Its number and code are masked
 * unless revealed.
 */
export function presentVirtualCard(reading: CardReading, revealed: RevealedNumber | undefined) {
  const { card } = reading;
  const number = revealed ?? { card_number: maskNumber(card.last4), cvc: masked_cvc };
  return {
    id: String(card.id),
    available_balance: reading.available_balance,
    authorizations: reading.authorizations.map((authorization) => authorizationItem(authorization, card)),
    clearings: reading.clearings.map((clearing) => clearingItem(clearing, card)),
    card_number: number.card_number,
    cvc: number.cvc,
    last4: card.last4,
    currency: card.currency,
    emails: card.emails,
    notified: card.notified,
    expiry: card.expiry,
    network_data: card.network_data ?? {},
    metadata: card.metadata,
    per_transaction_max: card.per_transaction_max,
    per_transaction_min: card.per_transaction_min,
    total_card_amount: card.total_card_amount,
    transactions_max: card.transactions_max,
    rcn_id: card.rcn_id,
    rcn_alias: card.rcn_alias,
    supplier_id: card.supplier_id,
    template_id: card.template_id,
    status: card.status,
    recurring: card.recurring,
    ...(card.authorization_hold_days === null
      ? {}
      : {
          authorization_hold_days: card.authorization_hold_days,
          aging_velocity_time_zone: card.aging_velocity_time_zone,
        }),
    valid_starting_on: card.valid_starting_on,
    valid_ending_on: card.valid_ending_on,
    type: 'virtualcard' as const,
    url: `/v1/virtualcards/${card.id}`,
  };
}

/** The fields of a virtual card as answers show it. */
export type VirtualCardResource = ReturnType<typeof presentVirtualCard>;

/** The wrong codes of a card after a reset. */
export function presentCodeFailures({ id, company_id, last4 }: VirtualCard) {
  return {
    id: String(id),
    company_id,
    last4,
    code_failures: 0,
    type: 'code_failures' as const,
  };
}
