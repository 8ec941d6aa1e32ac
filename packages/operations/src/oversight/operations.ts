import { type DeliveryFilter, delivery_states, parseInstants } from '@tallystick/events';
import { type AuditFilter, type Interval, invalidQuery } from '@tallystick/kernel';
import * as z from 'zod';
import { type Query, readChoiceFilter, readCompanyFilter, readIdFilter, withoutAbsent } from '../call/query.ts';
import { instants_filter } from '../events/shapes.ts';
import { filter_id, type_names } from '../fields.ts';
import { type Operation, operation, present } from '../operation.ts';
import { delivery_state } from '../webhooks/shapes.ts';
import { presentAuditEntry, presentDeliveryOfAll, presentWebhookState } from './presenter.ts';
import { audit_entry, delivery_of_all, webhook_state_of_all } from './shapes.ts';

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

const audit_text = z.string().min(1).max(255);

const object = audit_text.regex(/^[a-z_]+:\d+$/);

const audit_filter = z
  .object({
    company_id: filter_id.describe('Only entries that concern this company'),
    actor: audit_text.describe('Only what this caller did, such as `key:17`'),
    action: audit_text.describe('Only this action, such as `card_number.shown`'),
    object: object.describe('Only what was done to this object, such as `virtualcard:17`'),
    at: instants_filter.describe('Only entries of this time'),
  })
  .partial()
  .register(type_names, { id: 'AuditFilter' });

/** `/operator/v1/{webhooks,deliveries,audit}`: what happens in all companies. */
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
    operation('oversight', {
      id: 'operator.audit.list',
      summary: 'List the entries of the audit log, newest first',
      query: { paged: true, filter: audit_filter },
      answer: z.array(audit_entry),
      async read(tx, { query }) {
        return present(await tx.audit.list(readAuditFilter(query), query.page), presentAuditEntry);
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

function readAuditFilter(query: Query): AuditFilter {
  const company_id = readCompanyFilter(query);
  const at = readInstantsFilter(query, 'at');
  const texts = (['actor', 'action', 'object'] as const).flatMap((name) => {
    const value = query.filters.get(name);
    if (value === undefined) return [];
    if (audit_filter.shape[name].safeParse(value).success) return [[name, value] as const];
    const form = name === 'object' ? 'a kind and an id, such as virtualcard:17' : 'text of 1 to 255 characters';
    throw invalidQuery({ path: query.names.filter(name), message: `must be ${form}` });
  });
  return { ...Object.fromEntries(texts), ...withoutAbsent({ company_id, at }) };
}

function readInstantsFilter({ filters, names }: Query, name: string): Interval | null {
  const text = filters.get(name);
  if (text === undefined) return null;
  const read = parseInstants(text);
  if (typeof read === 'string') throw invalidQuery({ path: names.filter(name), message: read });
  return read;
}
