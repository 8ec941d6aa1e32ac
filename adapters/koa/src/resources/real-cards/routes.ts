import { listRealCards, type RealCard } from '@tallystick/cards';
import { Refusal, toInstantText } from '@tallystick/kernel';
import * as z from 'zod';
import { list, type MinimalItem, resource } from '../../answer/answer.ts';
import { clientCall, type Route, route } from '../../request/route.ts';
import { real_card } from '../operator/shapes.ts';

const of_real_cards = { area: 'realcards', tag: 'Real cards' } as const;

/** `/v1/realcards`: the real cards that virtual cards can be tied to. */
export function realCardRoutes(): readonly Route[] {
  return [
    route({
      ...of_real_cards,
      method: 'GET',
      path: '/v1/realcards',
      summary: "List the company's real cards, newest first",
      query: { paged: true },
      answer: z.array(real_card),
      async transaction(tx, request) {
        const page = await listRealCards(tx, clientCall(request), request.query.page);
        return list(request.query, page, realCard, minimalRealCard);
      },
    }),
    route({
      ...of_real_cards,
      method: 'GET',
      path: '/v1/realcards/:id',
      summary: 'Read a real card',
      answer: real_card,
      async transaction(tx, request) {
        const found = await tx.real_cards.find(clientCall(request).company_id, request.id);
        if (found === null) throw new Refusal('not_found', `there is no real card ${request.id}`);
        return resource(realCard(found));
      },
    }),
  ];
}

/** A real card as answers show it. */
export function realCard(card: RealCard) {
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

/** What `Prefer: return-minimal` leaves of it. */
export function minimalRealCard(card: RealCard): MinimalItem {
  return { id: String(card.id), ...kindOf(card) };
}

function kindOf({ id }: RealCard) {
  return { type: 'realcard', url: `/v1/realcards/${id}` };
}
