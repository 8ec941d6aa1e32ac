import {
  type CardOversight,
  eventsOfCard,
  findCardOfAny,
  listCardsOfAll,
  readCard,
  referring_messages_max,
} from '@tallystick/cards';
import { indexed_text_max } from '@tallystick/events';
import { invalidQuery } from '@tallystick/kernel';
import * as z from 'zod';
import { pageByCursor, type Query, readCompanyFilter, readIdFilter, withoutAbsent } from '../call/query.ts';
import { filter_id, last4 } from '../fields.ts';
import { callFor, type Operation, operation, present } from '../operation.ts';
import { metadata_filter, metadata_of_filter, readCardFilter } from '../virtual-cards/operations.ts';
import { any_operator, cardRecordOperations } from '../virtual-cards/records.ts';
import { presentCardOfAll, presentDeliveryOfAll } from './presenter.ts';
import { card_of_all, delivery_of_all } from './shapes.ts';

const reference = z.string().min(1).max(indexed_text_max);

const card_filter = z
  .object({
    company_id: filter_id.describe('Only cards of this company'),
    id: filter_id.describe('Only the card with this id'),
    last4,
    approval_code: reference.describe('Only cards of an authorization or a clearing with this approval code'),
    net_reference_number: reference.describe(
      'Only cards of an authorization or a clearing with this reference of the network',
    ),
  })
  .partial()
  .meta(metadata_of_filter)
  .describe('Several filters are ANDed. `metadata.<name>` compares a top-level name of the metadata as text.');

/** `/operator/v1/virtualcards`: the cards of all companies. Numbers are always masked. */
export function cardOversightOperations(): readonly Operation[] {
  return [
    operation('oversight', {
      id: 'operator.virtualCards.list',
      method: 'operator.cards.list',
      summary: 'Find cards of all companies, newest first',
      description: `\`approval_code\` and \`net_reference_number\` find the cards of the newest ${referring_messages_max} messages with them, whose events are kept.`,
      query: { paged: true, filter: card_filter, other_filters: metadata_filter },
      answer: z.array(card_of_all),
      async read(tx, call) {
        const page = await listCardsOfAll(tx, call, readOversight(call.query), call.query.page);
        return present(page, presentCardOfAll);
      },
    }),
    operation('oversight', {
      id: 'operator.virtualCards.read',
      method: 'operator.cards.read',
      summary: 'Read a card of any company with its newest authorizations and clearings',
      parameters: ['id'],
      answer: card_of_all,
      async read(tx, call) {
        const { company_id } = await findCardOfAny(tx, call.id);
        return presentCardOfAll(await readCard(tx, callFor(call, company_id), call.id));
      },
    }),
    ...cardRecordOperations(any_operator),
    operation('oversight', {
      id: 'operator.virtualCards.deliveries.list',
      method: 'operator.cards.deliveries',
      summary: 'List the deliveries of the events of a card with their attempts, newest events first',
      description:
        'The events are those of the card itself, its authorizations and its clearings. A page may have fewer deliveries than its limit, or none, while `next` leads on.',
      parameters: ['id'],
      query: { paged: true },
      answer: z.array(delivery_of_all),
      async read(tx, call) {
        const card = await findCardOfAny(tx, call.id);
        const page = await tx.deliveries.listOfEvents(card.company_id, eventsOfCard(card), pageByCursor(call.query));
        return present(page, presentDeliveryOfAll);
      },
    }),
  ];
}

function readOversight(query: Query): CardOversight {
  const texts = (['approval_code', 'net_reference_number'] as const).map((name) => {
    const text = query.filters.get(name);
    if (text === undefined || reference.safeParse(text).success) return [name, text];
    throw invalidQuery({
      path: query.names.filter(name),
      message: `must be text of 1 to ${indexed_text_max} characters`,
    });
  });
  const company_id = readCompanyFilter(query);
  const id = readIdFilter(query, 'id', 'a card');
  return { ...readCardFilter(query), ...withoutAbsent({ company_id, id, ...Object.fromEntries(texts) }) };
}
