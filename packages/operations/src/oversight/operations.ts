import { type DeliveryFilter, delivery_states, parseInstants } from '@tallystick/events';
import { type Interval, invalidQuery } from '@tallystick/kernel';
import * as z from 'zod';
import { type Query, readChoiceFilter, readCompanyFilter, readIdFilter, withoutAbsent } from '../call/query.ts';
import { instants_filter } from '../events/shapes.ts';
import { filter_id } from '../fields.ts';
import { type Operation, operation, present } from '../operation.ts';
import { delivery_state } from '../webhooks/shapes.ts';
import { presentDeliveryOfAll, presentWebhookState } from './presenter.ts';
import { delivery_of_all, webhook_state_of_all } from './shapes.ts';

const webhook_filter = z
  .object({
    company_id: filter_id.describe('Only webhooks of this company'),
    failing: z.boolean().describe('True: only webhooks that are failing; false: only others'),
  })
  .partial();

const delivery_filter = z
  .object({
    company_id: filter_id.describe('Only deliveries to webhooks of this company'),
    webhook_id: filter_id.describe('Only deliveries to this webhook'),
    state: delivery_state.describe('Only deliveries in this state'),
    next_attempt_at: instants_filter.describe('Only deliveries that are attempted next at this time'),
  })
  .partial()
  .describe('Several filters are ANDed. `next_attempt_at` finds pending deliveries only.');

/** `/operator/v1/{webhooks,deliveries}`: what happens in all companies. */
export function oversightOperations(): readonly Operation[] {
  return [
    operation('oversight', {
      id: 'operator.webhooks.list',
      summary: 'List the webhooks of all companies with their state, newest first',
      query: { paged: true, filter: webhook_filter },
      answer: z.array(webhook_state_of_all),
      async read(tx, { query }) {
        const company_id = readCompanyFilter(query);
        const failing = readChoiceFilter(query, 'failing', ['true', 'false']);
        const wanted = { ...withoutAbsent({ company_id }), ...(failing && { failing: failing === 'true' }) };
        return present(await tx.webhooks.listStates(wanted, query.page), presentWebhookState);
      },
    }),
    operation('oversight', {
      id: 'operator.deliveries.list',
      summary: 'List the deliveries of all companies with their attempts, newest first',
      query: { paged: true, filter: delivery_filter },
      answer: z.array(delivery_of_all),
      async read(tx, { query }) {
        return present(await tx.deliveries.listOfAll(readDeliveryFilter(query), query.page), presentDeliveryOfAll);
      },
    }),
  ];
}

function readDeliveryFilter(query: Query): DeliveryFilter {
  const company_id = readCompanyFilter(query);
  const webhook_id = readIdFilter(query, 'webhook_id', 'a webhook');
  const state = readChoiceFilter(query, 'state', delivery_states);
  const due = readInstantsFilter(query, 'next_attempt_at');
  return withoutAbsent({ company_id, webhook_id, state, due });
}

export function readInstantsFilter({ filters, names }: Query, name: string): Interval | null {
  const text = filters.get(name);
  if (text === undefined) return null;
  const read = parseInstants(text);
  if (typeof read === 'string') throw invalidQuery({ path: names.filter(name), message: read });
  return read;
}
