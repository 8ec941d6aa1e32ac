import { listRealCards } from '@tallystick/cards';
import { Refusal } from '@tallystick/kernel';
import * as z from 'zod';
import { list, resource } from '../../answer/answer.ts';
import { clientCall, type Route, route } from '../../request/route.ts';
import { real_card } from '../operator/shapes.ts';
import { presentMinimalRealCard, presentRealCard } from './presenter.ts';

const of_real_cards = { area: 'realcards', tag: 'Real cards' } as const;

/** `/v1/realcards`: the real cards to which virtual cards can belong. */
export function realCardRoutes(): readonly Route[] {
  return [
    route({
      ...of_real_cards,
      method: 'GET',
      path: '/v1/realcards',
      operation_id: 'realCards.list',
      summary: "List the company's real cards, newest first",
      query: { paged: true },
      answer: z.array(real_card),
      async transaction(tx, request) {
        const page = await listRealCards(tx, clientCall(request), request.query.page);
        return list(request.query, page, presentRealCard, presentMinimalRealCard);
      },
    }),
    route({
      ...of_real_cards,
      method: 'GET',
      path: '/v1/realcards/:id',
      operation_id: 'realCards.read',
      summary: 'Read a real card',
      answer: real_card,
      async transaction(tx, request) {
        const found = await tx.real_cards.find(clientCall(request).company_id, request.id);
        if (found === null) throw new Refusal('not_found', `there is no real card ${request.id}`);
        return resource(presentRealCard(found));
      },
    }),
  ];
}
