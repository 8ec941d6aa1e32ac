import { companyOf } from '@tallystick/access';
import {
  authorizationItem,
  type CardFilter,
  type CardReading,
  type CardVault,
  cancelCard,
  card_statuses,
  clearingItem,
  emailCard,
  issueCard,
  listAuthorizations,
  listCards,
  listClearings,
  type Network,
  readCard,
  readReleaseNote,
  refuseNumbersOfCards,
  revealNumbers,
  updateCard,
} from '@tallystick/cards';
import { type FieldError, invalidQuery, maskCardNumbers, type Random } from '@tallystick/kernel';
import * as z from 'zod';
import { type Answer, list, no_content, resource } from '../../answer/answer.ts';
import type { HttpTx } from '../../request/http-tx.ts';
import type { Query } from '../../request/query.ts';
import { type ApiRequest, clientCall, type Route, route } from '../../request/route.ts';
import { data_of_domain, last4 } from '../fields.ts';
import { authorization_item, clearing_item } from '../network/shapes.ts';
import { presentMinimalVirtualCard, presentVirtualCard } from './presenter.ts';
import { card_body, create_card, email_card, release_hold, update_card, virtual_card } from './shapes.ts';

const metadata_filter = /^metadata\.(.{1,255})$/s;

const whole_number = {
  read: (text: string) => (/^\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : null),
  expected: 'an integer',
};

/**
 * The filters apart from those on metadata. Each reads a value in the store's form, or null for a
 * value that no card can have.
 */
const filters = {
  status: {
    read: (text: string) => card_statuses.find((status) => status === text) ?? null,
    expected: `${card_statuses.join(' or ')} (case-sensitive)`,
  },
  rcn_id: whole_number,
  template_id: whole_number,
  supplier_id: whole_number,
  last4: { read: (text: string) => (/^\d{4}$/.test(text) ? text : null), expected: 'the last four digits of a number' },
};

const any_id = z.int().min(0);

/** The filters of the list, for the document. */
const card_filter = z
  .object({
    status: z.enum(card_statuses),
    rcn_id: any_id,
    template_id: any_id,
    supplier_id: any_id,
    last4,
  } satisfies Record<keyof typeof filters, z.ZodType>)
  .partial()
  .meta({
    patternProperties: { '^metadata\\.[\\s\\S]{1,255}$': { anyOf: [{ type: 'string' }, { type: 'integer' }] } },
  })
  .describe('Several filters are ANDed. `filter[metadata.<name>]` compares a top-level name of the metadata as text.');

const of_cards = { area: 'virtualcards', tag: 'Virtual cards', deprecated: true } as const;

/** `/v1/virtualcards` (service specification 4.1, and the operations that the decisions add). */
export function virtualCardRoutes(ports: {
  readonly vault: CardVault;
  readonly random: Random;
  readonly network: Pick<Network, 'release'>;
}): readonly Route[] {
  /**
   * Returns the card, with number and code if the request asks for them. The audit log records
   * that.
   */
  const presentReading = async (
    tx: HttpTx,
    request: ApiRequest,
    reading: CardReading,
    in_clear: boolean,
  ): Promise<Answer> => {
    if (!in_clear) return resource(presentVirtualCard(reading, undefined));
    const revealed = await revealNumbers(tx, ports, clientCall(request), [reading.card]);
    const answer = resource(presentVirtualCard(reading, revealed.get(reading.card.id)));
    return { ...answer, shows_numbers_of: [reading.card.id] };
  };

  return [
    route({
      ...of_cards,
      method: 'POST',
      path: '/v1/virtualcards',
      operation_id: 'virtualCards.create',
      summary: 'Create a virtual card',
      body: card_body,
      documented_body: create_card,
      takes_back: virtual_card,
      answer: virtual_card,
      refusals: ['conflict'],
      async transaction(tx, request) {
        const { data, show_card_number } = request.body;
        const reading = await issueCard(tx, ports, clientCall(request), data);
        await refuseNumbersOfCards(tx, ports, namesIn(data));
        return presentReading(tx, request, reading, show_card_number === true);
      },
    }),
    route({
      ...of_cards,
      method: 'GET',
      path: '/v1/virtualcards',
      operation_id: 'virtualCards.list',
      summary: 'List virtual cards, newest first',
      description: 'With show_realtime_auths=true, the cards contain their authorizations and clearings.',
      query: {
        paged: true,
        filters: (name) => Object.hasOwn(filters, name) || metadata_filter.test(name),
        flags: ['show_realtime_auths'],
      },
      filter: card_filter,
      answer: z.array(virtual_card),
      async transaction(tx, request) {
        const { query } = request;
        const with_activity = query.flag('show_realtime_auths');
        const page = await listCards(tx, clientCall(request), readCardFilter(query), query.page, { with_activity });
        return list(query, page, (reading) => presentVirtualCard(reading, undefined), presentMinimalVirtualCard);
      },
    }),
    route({
      ...of_cards,
      method: 'GET',
      path: '/v1/virtualcards/:id',
      operation_id: 'virtualCards.read',
      summary: 'Read a virtual card with its newest authorizations and clearings',
      query: { flags: ['show_card_number'] },
      writes: (query) => query.flag('show_card_number'),
      answer: virtual_card,
      async transaction(tx, request) {
        const reading = await readCard(tx, clientCall(request), request.id);
        return presentReading(tx, request, reading, request.query.flag('show_card_number'));
      },
    }),
    route({
      ...of_cards,
      method: 'PATCH',
      path: '/v1/virtualcards/:id',
      operation_id: 'virtualCards.update',
      summary: 'Change a virtual card',
      body: card_body,
      documented_body: update_card,
      takes_back: virtual_card,
      answer: virtual_card,
      async transaction(tx, request) {
        const { data, show_card_number } = request.body;
        const reading = await updateCard(tx, clientCall(request), request.id, data);
        await refuseNumbersOfCards(tx, ports, namesIn(data));
        return presentReading(tx, request, reading, show_card_number === true);
      },
    }),
    route({
      ...of_cards,
      method: 'DELETE',
      path: '/v1/virtualcards/:id',
      operation_id: 'virtualCards.cancel',
      summary: 'Cancel a virtual card. It can still be read',
      answer: null,
      status: 204,
      async transaction(tx, request) {
        await cancelCard(tx, clientCall(request), request.id);
        return no_content;
      },
    }),
    route({
      ...of_cards,
      method: 'POST',
      path: '/v1/virtualcards/:id/email',
      operation_id: 'virtualCards.email',
      summary: 'Mail the details of a card to an address',
      body: data_of_domain,
      documented_body: email_card,
      answer: virtual_card,
      async transaction(tx, request) {
        const { email } = request.body.data;
        const reading = await emailCard(tx, clientCall(request), request.id, email);
        await refuseNumbersOfCards(tx, ports, { email });
        return presentReading(tx, request, reading, false);
      },
    }),
    route({
      ...of_cards,
      method: 'GET',
      path: '/v1/virtualcards/:id/authorizations',
      operation_id: 'virtualCards.authorizations.list',
      summary: 'List all authorizations of a card, newest first',
      query: { paged: true, items_stay_whole: true },
      answer: z.array(authorization_item),
      async transaction(tx, request) {
        const { card, page } = await listAuthorizations(tx, clientCall(request), request.id, request.query.page);
        return list(request.query, page, (item) => authorizationItem(item, card));
      },
    }),
    route({
      ...of_cards,
      area: 'hold_release',
      method: 'POST',
      path: '/v1/virtualcards/:id/authorizations/:authorization_id/release',
      operation_id: 'virtualCards.authorizations.release',
      summary: 'End the hold of an authorization by hand',
      description:
        'For a clearing that will not come. The use stays, and a clearing that comes anyway is applied as `late`. Refused with 409 when nothing is held.',
      body: data_of_domain,
      documented_body: release_hold,
      refusals: ['conflict'],
      answer: authorization_item,
      async perform({ principal, actor, id, authorization_id, body, request_id }) {
        const answer = await ports.network.release({
          kind: 'release',
          number_index: null,
          vcn_id: id,
          authorization_id,
          company_id: principal.role === 'operator' ? null : companyOf(principal),
          note: readReleaseNote(body.data),
          actor,
          request_id,
        });
        if (answer.kind === 'refused') throw answer.refusal;
        return resource(answer.item);
      },
    }),
    route({
      ...of_cards,
      method: 'GET',
      path: '/v1/virtualcards/:id/clearings',
      operation_id: 'virtualCards.clearings.list',
      summary: 'List all clearings of a card, newest first',
      query: { paged: true, items_stay_whole: true },
      answer: z.array(clearing_item),
      async transaction(tx, request) {
        const { card, page } = await listClearings(tx, clientCall(request), request.id, request.query.page);
        return list(request.query, page, (item) => clearingItem(item, card));
      },
    }),
  ];
}

/** The values of a card that name or match, by the path of their field. */
function namesIn({ supplier_id, emails }: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const addresses = Array.isArray(emails) ? emails : [];
  return { supplier_id, ...Object.fromEntries(addresses.map((email, at) => [`emails[${at}]`, email])) };
}

/** Reads the filter of the query. Refuses (`invalid_query`) each value that no card can have. */
function readCardFilter(query: Query): CardFilter {
  const errors: FieldError[] = [];
  const metadata: [string, string][] = [];
  const filter: Record<string, string | number> = {};
  for (const [name, value] of query.filters) {
    const [, metadata_name] = metadata_filter.exec(name) ?? [];
    if (metadata_name !== undefined) {
      // Metadata is stored without card numbers.
      metadata.push([metadata_name, maskCardNumbers(value)]);
      continue;
    }
    const { read, expected } = filters[name as keyof typeof filters];
    const known = read(value);
    if (known === null) errors.push({ path: `filter[${name}]`, message: `must be ${expected}` });
    else filter[name] = known;
  }
  if (errors.length > 0) throw invalidQuery(...errors);
  return metadata.length === 0 ? filter : { ...filter, metadata: Object.fromEntries(metadata) };
}
