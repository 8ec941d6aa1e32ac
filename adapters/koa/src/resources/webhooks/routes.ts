import { type CardVault, refuseNumbersOfCards } from '@tallystick/cards';
import {
  type CallbackUrlPolicy,
  createWebhook,
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
  type WebhookRequestInput,
  type WebhookTest,
  type WebhookTester,
  webhook_request_ms_max,
  webhook_tests_per_company_max,
} from '@tallystick/events';
import type { Random, Sealer, UnitOfWork } from '@tallystick/kernel';
import { minimal_item } from '@tallystick/operations';
import * as z from 'zod';
import { type Answer, list, no_content, resource } from '../../answer/answer.ts';
import { HttpProblem } from '../../answer/error-answer.ts';
import type { HttpTx } from '../../request/http-tx.ts';
import { namedIn, readChoiceFilter } from '../../request/query.ts';
import { clientCall, type Route, route } from '../../request/route.ts';
import { presentDelivery, presentMinimalDelivery, presentMinimalWebhook, presentWebhook } from './presenter.ts';
import {
  create_webhook,
  delivery,
  delivery_state,
  recover,
  recovered,
  update_webhook,
  webhook,
  webhook_change,
  webhook_registration,
  webhook_test,
} from './shapes.ts';

/** The ports that the webhooks' routes need. */
export interface WebhookRoutePorts {
  readonly unitOfWork: UnitOfWork<HttpTx>;
  readonly sealer: Sealer;
  readonly random: Random;
  readonly vault: Pick<CardVault, 'index'>;
  readonly webhooks: WebhookServices;
}

/** The services of the routes outside the transaction. */
export interface WebhookServices {
  readonly callback_url_policy: CallbackUrlPolicy;
  /** Sends a test delivery, outside any transaction. */
  readonly test: WebhookTester;
  /** Called after a request that makes deliveries due, so that they are sent immediately. */
  due(): void;
}

const delivery_filter = z.object({ state: delivery_state }).partial();

const path = '/v1/webhooks';

const of_webhooks = { area: 'webhooks', tag: 'Webhooks' } as const;

/** `/v1/webhooks` (service specification 4.4, and the operations that the decisions add). */
export function webhookRoutes(ports: WebhookRoutePorts): readonly Route[] {
  return [...registration(ports), ...deliveries(ports)];
}

function registration(ports: WebhookRoutePorts): readonly Route[] {
  const { sealer, random, vault } = ports;
  const { callback_url_policy } = ports.webhooks;
  return [
    route({
      ...of_webhooks,
      method: 'POST',
      path,
      operation_id: 'webhooks.create',
      summary: 'Register a webhook. Only this answer shows its secret',
      body: webhook_registration,
      documented_body: create_webhook,
      takes_back: webhook,
      answer: webhook,
      async transaction(tx, request) {
        const made = await createWebhook(
          tx,
          { sealer, random, callback_url_policy },
          clientCall(request),
          request.body.data,
        );
        await refuseNumbersOfCards(tx, { vault }, { callback_url: made.webhook.callback_url });
        return { ...resource(presentWebhook(made.webhook, made.secret)), committed: ports.webhooks.due };
      },
    }),
    route({
      ...of_webhooks,
      method: 'GET',
      path,
      operation_id: 'webhooks.list',
      summary: 'List the webhooks, newest first',
      query: { paged: true },
      answer: z.array(minimal_item),
      async transaction(tx, request) {
        const page = await listWebhooks(tx, clientCall(request), request.query.page);
        return list(request.query, page, presentMinimalWebhook, presentMinimalWebhook);
      },
    }),
    route({
      ...of_webhooks,
      method: 'GET',
      path: `${path}/:id`,
      operation_id: 'webhooks.read',
      summary: 'Read a webhook',
      answer: webhook,
      async transaction(tx, request) {
        return resource(presentWebhook(await readWebhook(tx, clientCall(request), request.id)));
      },
    }),
    route({
      ...of_webhooks,
      method: 'PATCH',
      path: `${path}/:id`,
      operation_id: 'webhooks.update',
      summary: 'Change the event types or the status of a webhook',
      body: webhook_change,
      documented_body: update_webhook,
      takes_back: webhook,
      answer: webhook,
      async transaction(tx, request) {
        // The two fields that cannot be changed have any value here: the domain refuses them by
        // name.
        const input = request.body.data as WebhookRequestInput;
        const updated = await updateWebhook(tx, { sealer }, clientCall(request), request.id, input);
        return { ...resource(presentWebhook(updated)), committed: ports.webhooks.due };
      },
    }),
    route({
      ...of_webhooks,
      method: 'DELETE',
      path: `${path}/:id`,
      operation_id: 'webhooks.delete',
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
      operation_id: 'webhooks.rotateSecret',
      summary: 'Replace the secret of a webhook. The previous secret also signs for 24 hours',
      answer: webhook,
      async transaction(tx, request) {
        const rotated = await rotateWebhookSecret(tx, { sealer, random }, clientCall(request), request.id);
        return resource(presentWebhook(rotated.webhook, rotated.secret));
      },
    }),
    route({
      ...of_webhooks,
      method: 'GET',
      path: `${path}/:id/test`,
      has_effect: true,
      operation_id: 'webhooks.test',
      summary: 'Send a test delivery to a webhook, active or not',
      answer: webhook_test,
      async perform(request) {
        const read = (tx: HttpTx) => readWebhook(tx, clientCall(request), request.id);
        return presentTest(await ports.webhooks.test(await ports.unitOfWork.read(read)));
      },
    }),
  ];
}

/** Seconds after which a test in progress has ended: it is one request. */
const test_s_max = webhook_request_ms_max / 1_000;

function presentTest(test: WebhookTest): Answer {
  if (test.kind === 'tested') {
    const { kind: _, ...result } = test;
    return resource(result);
  }
  const headers = { 'Retry-After': String(test_s_max) };
  if (test.of === 'all') throw new HttpProblem('unavailable', 'too many tests of webhooks are in progress', headers);
  const message = `${webhook_tests_per_company_max} tests of the company's webhooks are in progress; wait for their answers`;
  throw new HttpProblem('rate_limited', message, headers);
}

function deliveries(ports: WebhookRoutePorts): readonly Route[] {
  return [
    route({
      ...of_webhooks,
      method: 'GET',
      path: `${path}/:id/deliveries`,
      operation_id: 'webhooks.deliveries.list',
      summary: 'List the deliveries of a webhook with their attempts, newest first',
      query: { paged: true, filters: namedIn(delivery_filter) },
      filter: delivery_filter,
      answer: z.array(delivery),
      async transaction(tx, request) {
        const state = readChoiceFilter(request.query, 'state', delivery_states);
        const filter = state === undefined ? {} : { state };
        const page = await listDeliveries(tx, clientCall(request), request.id, filter, request.query.page);
        return list(request.query, page, presentDelivery, presentMinimalDelivery);
      },
    }),
    route({
      ...of_webhooks,
      method: 'GET',
      path: `${path}/:id/deliveries/:delivery_id`,
      operation_id: 'webhooks.deliveries.read',
      summary: 'Read a delivery with its attempts',
      answer: delivery,
      async transaction(tx, request) {
        return resource(presentDelivery(await readDelivery(tx, clientCall(request), request.id, request.delivery_id)));
      },
    }),
    route({
      ...of_webhooks,
      method: 'POST',
      path: `${path}/:id/deliveries/:delivery_id/retry`,
      operation_id: 'webhooks.deliveries.retry',
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
      operation_id: 'webhooks.deliveries.recover',
      summary: `Send again the deliveries that failed since an instant, at most ${recovered_max.toLocaleString('en')} in one call`,
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
