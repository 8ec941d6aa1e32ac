import type { RealCard } from '@tallystick/cards';
import { toInstantText } from '@tallystick/kernel';

/** A real card as answers show it. */
export function presentRealCard(card: RealCard) {
  return {
    id: String(card.id),
    rcn_id: card.id,
    rcn_alias: card.alias,
    company_id: card.company_id,
    billing_currency: card.billing_currency,
    account_range: card.account_range,
    velocity_enabled: card.velocity_enabled,
    network_data_names: card.network_data_names,
    is_default: card.is_default,
    created_at: toInstantText(card.created_at_ms),
    ...kindOf(card),
  };
}

function kindOf({ id }: RealCard) {
  return { type: 'realcard' as const, url: `/v1/realcards/${id}` };
}
