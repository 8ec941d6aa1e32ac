import type { RealCard } from '@tallystick/cards';
import { createRealCard, listRealCards } from '@tallystick/cards';
import { Refusal, toInstantText } from '@tallystick/kernel';
import * as z from 'zod';
import { readCompanyFilter } from '../call/query.ts';
import { company_filter, showAs } from '../fields.ts';
import { callFor, companyCall, type Operation, operation, present, requireCompany } from '../operation.ts';
import { create_real_card, real_card } from './shapes.ts';

/** `/v1/realcards`: the real cards to which virtual cards can belong. */
export function realCardOperations(): readonly Operation[] {
  return [
    operation('realcards', {
      id: 'realCards.list',
      summary: "List the company's real cards, newest first",
      query: { paged: true },
      answer: z.array(real_card),
      async read(tx, call) {
        const page = await listRealCards(tx, companyCall(call), call.query.page);
        return present(page, presentRealCard);
      },
    }),
    operation('realcards', {
      id: 'realCards.read',
      summary: 'Read a real card',
      parameters: ['id'],
      answer: real_card,
      async read(tx, call) {
        const found = await tx.real_cards.find(companyCall(call).company_id, call.id);
        if (found === null) throw new Refusal('not_found', `there is no real card ${call.id}`);
        return presentRealCard(found);
      },
    }),

    operation('administration', {
      id: 'operator.realCards.create',
      summary: 'Create a real card of a company',
      body: create_real_card,
      takes_back: real_card,
      answer: real_card,
      async write(tx, call) {
        const { company_id, ...asked } = call.body.data;
        await requireCompany(tx, company_id);
        return presentRealCard(await createRealCard(tx, callFor(call, company_id), asked));
      },
    }),
    operation('administration', {
      id: 'operator.realCards.list',
      summary: 'List the real cards of one company or of all companies, newest first',
      query: { paged: true, filter: company_filter },
      answer: z.array(real_card),
      async read(tx, { query }) {
        const page = await tx.real_cards.list(readCompanyFilter(query), query.page);
        return present(page, presentRealCard);
      },
    }),
  ];
}

function presentRealCard(card: RealCard) {
  return showAs(real_card, {
    ...card,
    id: String(card.id),
    rcn_id: card.id,
    rcn_alias: card.alias,
    created_at: toInstantText(card.created_at_ms),
    type: 'realcard',
    url: `/v1/realcards/${card.id}`,
  });
}
