import { type DeliveryFilter, delivery_states, parseInstants } from '@tallystick/events';
import { type AuditFilter, type Interval, invalidQuery } from '@tallystick/kernel';
import { filter_id } from '@tallystick/operations';
import * as z from 'zod';
import { list } from '../../answer/answer.ts';
import { namedIn, type Query, readChoiceFilter } from '../../request/query.ts';
import { type Route, route } from '../../request/route.ts';
import { instants_filter } from '../events/filter-shape.ts';
import { readCompanyFilter, readIdFilter } from '../id-filter.ts';
import { delivery_state } from '../webhooks/shapes.ts';
import { presentAuditEntry, presentDeliveryOfAll, presentWebhookState } from './presenter.ts';
import { audit_entry, delivery_of_all, webhook_state_of_all } from './shapes.ts';

const for_operators = { area: 'oversight', tag: 'Operator' } as const;

const webhook_filter = z.object({ company_id: filter_id, failing: z.boolean() }).partial();

const delivery_filter = z
  .object({
    company_id: filter_id,
    webhook_id: filter_id,
    state: delivery_state,
    next_attempt_at: instants_filter,
  })
  .partial()
  .describe('Several filters are ANDed. `next_attempt_at` finds pending deliveries only.');

const text = z.string().min(1).max(255);

const object = text.regex(/^[a-z_]+:\d+$/);

const audit_filter = z
  .object({ company_id: filter_id, actor: text, action: text, object, at: instants_filter })
  .partial();

/** `/operator/v1/{webhooks,deliveries,audit}`: what happens in all companies. */
export function oversightRoutes(): readonly Route[] {
  return [
    route({
      ...for_operators,
      method: 'GET',
      path: '/operator/v1/webhooks',
      operation_id: 'operator.webhooks.list',
      summary: 'List the webhooks of all companies with their state, newest first',
      query: { paged: true, items_stay_whole: true, filters: namedIn(webhook_filter) },
      filter: webhook_filter,
      answer: z.array(webhook_state_of_all),
      async transaction(tx, { query }) {
        const company_id = readCompanyFilter(query);
        const failing = readChoiceFilter(query, 'failing', ['true', 'false']);
        const wanted = {
          ...(company_id === null ? {} : { company_id }),
          ...(failing === undefined ? {} : { failing: failing === 'true' }),
        };
        return list(query, await tx.webhooks.listStates(wanted, query.page), presentWebhookState);
      },
    }),
    route({
      ...for_operators,
      method: 'GET',
      path: '/operator/v1/deliveries',
      operation_id: 'operator.deliveries.list',
      summary: 'List the deliveries of all companies with their attempts, newest first',
      query: { paged: true, items_stay_whole: true, filters: namedIn(delivery_filter) },
      filter: delivery_filter,
      answer: z.array(delivery_of_all),
      async transaction(tx, { query }) {
        return list(query, await tx.deliveries.listOfAll(readDeliveryFilter(query), query.page), presentDeliveryOfAll);
      },
    }),
    route({
      ...for_operators,
      method: 'GET',
      path: '/operator/v1/audit',
      operation_id: 'operator.audit.list',
      summary: 'List the entries of the audit log, newest first',
      query: { paged: true, items_stay_whole: true, filters: namedIn(audit_filter) },
      filter: audit_filter,
      answer: z.array(audit_entry),
      async transaction(tx, { query }) {
        return list(query, await tx.audit.list(readAuditFilter(query), query.page), presentAuditEntry);
      },
    }),
  ];
}

function readDeliveryFilter(query: Query): DeliveryFilter {
  const company_id = readCompanyFilter(query);
  const webhook_id = readIdFilter(query, 'webhook_id', 'a webhook');
  const state = readChoiceFilter(query, 'state', delivery_states);
  const due = readInstantsFilter(query, 'next_attempt_at');
  return {
    ...(company_id === null ? {} : { company_id }),
    ...(webhook_id === null ? {} : { webhook_id }),
    ...(state === undefined ? {} : { state }),
    ...(due === null ? {} : { due }),
  };
}

function readAuditFilter(query: Query): AuditFilter {
  const company_id = readCompanyFilter(query);
  const at = readInstantsFilter(query, 'at');
  const texts = (['actor', 'action', 'object'] as const).flatMap((name) => {
    const value = query.filters.get(name);
    if (value === undefined) return [];
    if (audit_filter.shape[name].safeParse(value).success) return [[name, value] as const];
    const form = name === 'object' ? 'a kind and an id, such as virtualcard:17' : 'text of 1 to 255 characters';
    throw invalidQuery({ path: `filter[${name}]`, message: `must be ${form}` });
  });
  return {
    ...(company_id === null ? {} : { company_id }),
    ...Object.fromEntries(texts),
    ...(at === null ? {} : { at }),
  };
}

function readInstantsFilter({ filters }: Query, name: string): Interval | null {
  const given = filters.get(name);
  if (given === undefined) return null;
  const read = parseInstants(given);
  if (typeof read === 'string') throw invalidQuery({ path: `filter[${name}]`, message: read });
  return read;
}
