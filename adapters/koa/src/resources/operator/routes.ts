import {
  type ApiKey,
  type Company,
  createCompany,
  createKey,
  listCompanies,
  listKeys,
  readCompany,
  readKey,
  revokeKey,
  updateCompany,
} from '@tallystick/access';
import { type CardVault, createRealCard, refuseNumbersOfCards } from '@tallystick/cards';
import { recordForeignEvent } from '@tallystick/events';
import { invalid, type Random, type Sealer, type Sha256 } from '@tallystick/kernel';
import { filter_id } from '@tallystick/operations';
import { completeTemplate } from '@tallystick/templates';
import * as z from 'zod';
import { list, type MinimalItem, resource } from '../../answer/answer.ts';
import type { HttpTx } from '../../request/http-tx.ts';
import { namedIn, type QueryRules } from '../../request/query.ts';
import { type ApiRequest, operatorCall, type Route, route } from '../../request/route.ts';
import { presentEvent } from '../events/presenter.ts';
import { foreign_event, foreign_event_record } from '../events/shapes.ts';
import { readCompanyFilter } from '../id-filter.ts';
import { presentMinimalRealCard, presentRealCard } from '../real-cards/presenter.ts';
import { presentTemplate, statusLinkIn, templateStatusPath } from '../templates/presenter.ts';
import { template_item } from '../templates/shapes.ts';
import { presentApiKey, presentCompany } from './presenter.ts';
import { api_key, company, create_company, create_key, create_real_card, real_card, update_company } from './shapes.ts';

/** The ports that the operator's routes need. */
export interface OperatorRoutePorts {
  readonly sealer: Sealer;
  readonly random: Random;
  readonly sha256: Sha256;
  readonly vault: Pick<CardVault, 'index'>;
  readonly environment: 'test' | 'live';
  /** Called when a key was revoked: the remembered key is stale. */
  readonly keyRevoked: (key_id: number) => void;
  /** Called when a company was changed: the remembered state of its keys is stale. */
  readonly companyChanged: (company_id: number) => void;
}

const of_operator = { area: 'administration', tag: 'Operator' } as const;

const company_filter = z.object({ company_id: filter_id }).partial();

const by_company: QueryRules = { paged: true, filters: namedIn(company_filter) };

/** `/operator/v1`: companies, their real cards and API keys, and manual actions of an operator. */
export function operatorRoutes(ports: OperatorRoutePorts): readonly Route[] {
  return [...companyRoutes(ports), ...realCardRoutes, ...keyRoutes(ports), completion, foreign];
}

function companyRoutes({ companyChanged, vault }: OperatorRoutePorts): readonly Route[] {
  return [
    route({
      ...of_operator,
      method: 'POST',
      path: '/operator/v1/companies',
      operation_id: 'operator.companies.create',
      summary: 'Create a company',
      body: create_company,
      takes_back: company,
      answer: company,
      async transaction(tx, request) {
        const created = await createCompany(tx, callOf(request), request.body.data);
        await refuseNumbersOfCards(tx, { vault }, { customer_number: created.customer_number });
        return resource(presentCompany(created));
      },
    }),
    route({
      ...of_operator,
      method: 'GET',
      path: '/operator/v1/companies',
      operation_id: 'operator.companies.list',
      summary: 'List the companies, newest first',
      query: { paged: true },
      answer: z.array(company),
      async transaction(tx, { query }) {
        return list(query, await listCompanies(tx, query.page), presentCompany, presentMinimalCompany);
      },
    }),
    route({
      ...of_operator,
      method: 'GET',
      path: '/operator/v1/companies/:id',
      operation_id: 'operator.companies.read',
      summary: 'Read a company',
      answer: company,
      async transaction(tx, { id }) {
        return resource(presentCompany(await readCompany(tx, id)));
      },
    }),
    route({
      ...of_operator,
      method: 'PATCH',
      path: '/operator/v1/companies/:id',
      operation_id: 'operator.companies.update',
      summary: 'Change a company: its name, status, holds, mails and rate limit',
      body: update_company,
      takes_back: company,
      answer: company,
      async transaction(tx, request) {
        const changed = await updateCompany(tx, callOf(request), request.id, request.body.data);
        return { ...resource(presentCompany(changed)), committed: () => companyChanged(changed.id) };
      },
    }),
  ];
}

const realCardRoutes: readonly Route[] = [
  route({
    ...of_operator,
    method: 'POST',
    path: '/operator/v1/realcards',
    operation_id: 'operator.realCards.create',
    summary: 'Create a real card of a company',
    body: create_real_card,
    takes_back: real_card,
    answer: real_card,
    async transaction(tx, request) {
      const { company_id, ...asked } = request.body.data;
      await requireCompany(tx, company_id);
      return resource(presentRealCard(await createRealCard(tx, operatorCall(request, company_id), asked)));
    },
  }),
  route({
    ...of_operator,
    method: 'GET',
    path: '/operator/v1/realcards',
    operation_id: 'operator.realCards.list',
    summary: 'List the real cards of one company or of all companies, newest first',
    query: by_company,
    filter: company_filter,
    answer: z.array(real_card),
    async transaction(tx, { query }) {
      const page = await tx.real_cards.list(readCompanyFilter(query), query.page);
      return list(query, page, presentRealCard, presentMinimalRealCard);
    },
  }),
];

function keyRoutes(ports: OperatorRoutePorts): readonly Route[] {
  return [
    route({
      ...of_operator,
      method: 'POST',
      path: '/operator/v1/keys',
      operation_id: 'operator.keys.create',
      summary: 'Create an API key. Only this answer shows its text',
      body: create_key,
      takes_back: api_key,
      answer: api_key,
      async transaction(tx, request) {
        const { key, text } = await createKey(tx, ports, callOf(request), request.body.data);
        return resource({ ...presentApiKey(key), key: text });
      },
    }),
    route({
      ...of_operator,
      method: 'GET',
      path: '/operator/v1/keys',
      operation_id: 'operator.keys.list',
      summary: 'List the API keys of one company or of all companies, newest first',
      query: by_company,
      filter: company_filter,
      answer: z.array(api_key),
      async transaction(tx, { query }) {
        const company_id = readCompanyFilter(query);
        const page = await listKeys(tx, company_id === null ? {} : { company_id }, query.page);
        return list(query, page, presentApiKey, presentMinimalApiKey);
      },
    }),
    route({
      ...of_operator,
      method: 'GET',
      path: '/operator/v1/keys/:id',
      operation_id: 'operator.keys.read',
      summary: 'Read an API key, without its text',
      answer: api_key,
      async transaction(tx, { id }) {
        return resource(presentApiKey(await readKey(tx, id)));
      },
    }),
    route({
      ...of_operator,
      method: 'DELETE',
      path: '/operator/v1/keys/:id',
      operation_id: 'operator.keys.revoke',
      summary: 'Revoke an API key',
      answer: null,
      status: 204,
      async transaction(tx, request) {
        await revokeKey(tx, callOf(request), request.id);
        return { status: 204, committed: () => ports.keyRevoked(request.id) };
      },
    }),
  ];
}

const completion = route({
  area: 'template_completion',
  tag: 'Operator',
  method: 'POST',
  path: '/operator/v1/templates/:id/complete',
  operation_id: 'operator.templates.complete',
  summary: 'Complete a PENDING purchase template before its time',
  answer: template_item,
  async transaction(tx, { id, now_ms, query }) {
    const template = await completeTemplate(tx, { statusUrlOf: templateStatusPath }, now_ms, id);
    return resource(presentTemplate(template, statusLinkIn(query)));
  },
});

const foreign = route({
  area: 'foreign_events',
  tag: 'Operator',
  method: 'POST',
  path: '/operator/v1/events',
  operation_id: 'operator.events.record',
  summary: 'Record an event of another system',
  description:
    'Anything that could be a card number is masked except for its last four digits. A masked JSON number becomes text.',
  body: foreign_event,
  takes_back: foreign_event_record,
  answer: foreign_event_record,
  async transaction(tx, request) {
    const { company_id, ...record } = request.body.data;
    await requireCompany(tx, company_id);
    return resource(presentEvent(await recordForeignEvent(tx, operatorCall(request, company_id), record)));
  },
});

/** Returns the call of an operator's request that is not about a single company. */
export function callOf({ actor, request_id, now_ms }: ApiRequest) {
  return { actor, request_id, now_ms };
}

async function requireCompany(tx: Pick<HttpTx, 'companies'>, company_id: number): Promise<void> {
  if ((await tx.companies.find(company_id)) !== null) return;
  throw invalid({ path: 'company_id', message: `must be the id of a company; there is none with id ${company_id}` });
}

function presentMinimalCompany(made: Company): MinimalItem {
  const { id, type, url } = presentCompany(made);
  return { id, type, url };
}

function presentMinimalApiKey(key: ApiKey): MinimalItem {
  const { id, type, url } = presentApiKey(key);
  return { id, type, url };
}
