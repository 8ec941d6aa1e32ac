import {
  type CallbackUrlPolicy,
  createWebhook,
  type Delivery,
  type DeliveryReading,
  deleteWebhook,
  delivery_states,
  listDeliveries,
  listWebhooks,
  readDelivery,
  readWebhook,
  recoverDeliveries,
  recovered_max,
  retryDelivery,
  rotateWebhookSecret,
  updateWebhook,
  type Webhook,
  type WebhookRequestInput,
} from '@tallystick/events';
import { type Random, type Sealer, toInstantText, type UnitOfWork } from '@tallystick/kernel';
import * as z from 'zod';
import { list, type MinimalItem, no_content, resource } from '../../answer/answer.ts';
import type { HttpTx } from '../../request/http-tx.ts';
import { readChoiceFilter } from '../../request/query.ts';
import { clientCall, type Route, route } from '../../request/route.ts';
import {
  create_webhook,
  delivery,
  recover,
  recovered,
  update_webhook,
  webhook,
  webhook_item,
  webhook_test,
} from './shapes.ts';

/** What the webhooks' routes need. */
export interface WebhookRoutePorts {
  readonly unitOfWork: UnitOfWork<HttpTx>;
  readonly sealer: Sealer;
  readonly random: Random;
  readonly webhooks: WebhookServices;
}

/** What stands behind the routes beside the transaction. */
export interface WebhookServices {
  readonly callback_url_policy: CallbackUrlPolicy;
  /** Sends a test delivery, outside of any transaction. */
  test(webhook: Webhook): Promise<{ readonly status: number; readonly error?: string }>;
  /** Told that deliveries became due by a client's hand, so that they go out at once. */
  due(): void;
}

const path = '/v1/webhooks';

const of_webhooks = { area: 'webhooks', tag: 'Webhooks' } as const;

/** `/v1/webhooks` (service specification 4.4, and the operations that the decisions add). */
export function webhookRoutes(ports: WebhookRoutePorts): readonly Route[] {
  return [...registration(ports), ...deliveries(ports)];
}

function registration(ports: WebhookRoutePorts): readonly Route[] {
  const { sealer, random } = ports;
  const { callback_url_policy } = ports.webhooks;
  return [
    route({
      ...of_webhooks,
      method: 'POST',
      path,
      summary: 'Register a webhook; its secret is in this answer and never again',
      body: create_webhook,
      answer: webhook,
      async transaction(tx, request) {
        const made = await createWebhook(
          tx,
          { sealer, random, callback_url_policy },
          clientCall(request),
          request.body.data,
        );
        return { ...resource(webhookResource(made.webhook, made.secret)), committed: ports.webhooks.due };
      },
    }),
    route({
      ...of_webhooks,
      method: 'GET',
      path,
      summary: 'List the webhooks, newest first',
      query: { paged: true },
      answer: z.array(webhook_item),
      async transaction(tx, request) {
        const page = await listWebhooks(tx, clientCall(request), request.query.page);
        return list(request.query, page, minimalWebhook, minimalWebhook);
      },
    }),
    route({
      ...of_webhooks,
      method: 'GET',
      path: `${path}/:id`,
      summary: 'Read a webhook',
      answer: webhook,
      async transaction(tx, request) {
        return resource(webhookResource(await readWebhook(tx, clientCall(request), request.id)));
      },
    }),
    route({
      ...of_webhooks,
      method: 'PATCH',
      path: `${path}/:id`,
      summary: 'Change the event types or the status of a webhook',
      body: update_webhook,
      answer: webhook,
      async transaction(tx, request) {
        // The two that cannot be changed are refused by name, whatever they hold.
        const input = request.body.data as WebhookRequestInput;
        const updated = await updateWebhook(tx, clientCall(request), request.id, input);
        return { ...resource(webhookResource(updated)), committed: ports.webhooks.due };
      },
    }),
    route({
      ...of_webhooks,
      method: 'DELETE',
      path: `${path}/:id`,
      summary: 'Delete a webhook with its deliveries',
      answer: null,
      status: 204,
      async transaction(tx, request) {
        await deleteWebhook(tx, clientCall(request), request.id);
        return no_content;
      },
    }),
    route({
      ...of_webhooks,
      method: 'POST',
      path: `${path}/:id/rotate-secret`,
      summary: 'Give a webhook a new secret; the one before signs too for 24 hours',
      answer: webhook,
      async transaction(tx, request) {
        const rotated = await rotateWebhookSecret(tx, { sealer, random }, clientCall(request), request.id);
        return resource(webhookResource(rotated.webhook, rotated.secret));
      },
    }),
    route({
      ...of_webhooks,
      method: 'GET',
      path: `${path}/:id/test`,
      has_effect: true,
      summary: 'Send a test delivery to a webhook, active or not',
      answer: webhook_test,
      async perform(request) {
        const read = (tx: HttpTx) => readWebhook(tx, clientCall(request), request.id);
        return resource(await ports.webhooks.test(await ports.unitOfWork.read(read)));
      },
    }),
  ];
}

function deliveries(ports: WebhookRoutePorts): readonly Route[] {
  return [
    route({
      ...of_webhooks,
      method: 'GET',
      path: `${path}/:id/deliveries`,
      summary: 'List the deliveries of a webhook with their attempts, newest first',
      query: { paged: true, filters: (name) => name === 'state' },
      filter_names: ['state'],
      answer: z.array(delivery),
      async transaction(tx, request) {
        const state = readChoiceFilter(request.query, 'state', delivery_states);
        const filter = state === undefined ? {} : { state };
        const page = await listDeliveries(tx, clientCall(request), request.id, filter, request.query.page);
        return list(request.query, page, deliveryResource, minimalDelivery);
      },
    }),
    route({
      ...of_webhooks,
      method: 'GET',
      path: `${path}/:id/deliveries/:delivery_id`,
      summary: 'Read a delivery with its attempts',
      answer: delivery,
      async transaction(tx, request) {
        return resource(deliveryResource(await readDelivery(tx, clientCall(request), request.id, request.delivery_id)));
      },
    }),
    route({
      ...of_webhooks,
      method: 'POST',
      path: `${path}/:id/deliveries/:delivery_id/retry`,
      summary: 'Send a delivery again from the start of the schedule',
      answer: null,
      status: 204,
      async transaction(tx, request) {
        await retryDelivery(tx, clientCall(request), request.id, request.delivery_id);
        return { status: 204, committed: ports.webhooks.due };
      },
    }),
    route({
      ...of_webhooks,
      method: 'POST',
      path: `${path}/:id/recover`,
      summary: `Send again what failed since an instant, at most ${recovered_max.toLocaleString('en')} deliveries in one call`,
      body: recover,
      answer: recovered,
      async transaction(tx, request) {
        const since_ms = Temporal.Instant.from(request.body.data.since).epochMilliseconds;
        const count = await recoverDeliveries(tx, clientCall(request), request.id, since_ms);
        return { ...resource({ recovered: count }), committed: ports.webhooks.due };
      },
    }),
  ];
}

function webhookResource(one: Webhook, secret: string | null = null) {
  const { event_type_ids, status, callback_url } = one;
  return { ...minimalWebhook(one), event_type_ids, secret, status, callback_url };
}

function minimalWebhook({ id }: Webhook): MinimalItem {
  return { id: String(id), type: 'webhook', url: `${path}/${id}` };
}

function deliveryResource({ delivery: one, attempts }: DeliveryReading) {
  return {
    ...minimalOf(one),
    event_id: String(one.event_id),
    event_type: one.event_type,
    sequence: one.sequence,
    state: one.state,
    next_attempt_at: one.due_at_ms === null ? null : toInstantText(one.due_at_ms),
    created_at: toInstantText(one.created_at_ms),
    attempts: attempts.map(({ number, at_ms, status, error, duration_ms, excerpt, retry_after }) => ({
      number,
      at: toInstantText(at_ms),
      status,
      error,
      duration_ms,
      answer: excerpt,
      retry_after,
    })),
  };
}

function minimalDelivery(reading: DeliveryReading): MinimalItem {
  return minimalOf(reading.delivery);
}

function minimalOf({ id, webhook_id }: Delivery): MinimalItem {
  return { id: String(id), type: 'delivery', url: `${path}/${webhook_id}/deliveries/${id}` };
}
