import { type CardVault, refuseNumbersOfCards } from '@tallystick/cards';
import {
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
import { type Random, type Sealer, Temporal, type UnitOfWork, type UrlPolicy } from '@tallystick/kernel';
import * as z from 'zod';
import { readChoiceFilter, withoutAbsent } from '../call/query.ts';
import { minimal_item } from '../fields.ts';
import { Busy, companyCall, type Operation, type OperationTx, operation, present } from '../operation.ts';
import { presentDelivery, presentMinimalWebhook, presentOverview, presentWebhook } from './presenter.ts';
import {
  create_webhook,
  delivery,
  delivery_state,
  delivery_with_body,
  recover,
  recovered,
  update_webhook,
  webhook,
  webhook_change,
  webhook_overview,
  webhook_registration,
  webhook_test,
} from './shapes.ts';

export interface WebhookOperationPorts {
  readonly unitOfWork: UnitOfWork<OperationTx>;
  readonly sealer: Sealer;
  readonly random: Random;
  readonly vault: Pick<CardVault, 'index'>;
  readonly webhooks: WebhookServices;
  /** Which callback URLs and addresses of keys are accepted. */
  readonly url_policy: UrlPolicy;
}

/** The services of the operations outside the transaction. */
export interface WebhookServices {
  /** Sends a test delivery, outside any transaction. */
  readonly test: WebhookTester;
  /** Called after a call that makes deliveries due, so that they are sent immediately. */
  due(): void;
}

const state_filter = z
  .object({ failing: z.boolean().describe('True: only webhooks that are failing; false: only others') })
  .partial();

const delivery_filter = z.object({ state: delivery_state.describe('Only deliveries in this state') }).partial();

/** `/v1/webhooks` (service specification 4.4, and the operations that the decisions add). */
export function webhookOperations(ports: WebhookOperationPorts): readonly Operation[] {
  return [...registration(ports), ...deliveries(ports)];
}

function registration(ports: WebhookOperationPorts): readonly Operation[] {
  const { sealer, random, vault, url_policy } = ports;
  const { due } = ports.webhooks;
  return [
    operation('webhooks', {
      id: 'webhooks.create',
      summary: 'Register a webhook',
      description:
        'Only this result and that of a rotation show its secret. Events older than the webhook are not delivered to it. A callback URL that is not https, or whose address may not be called, is refused (`validation_failed`).',
      body: webhook_registration,
      documented_body: create_webhook,
      takes_back: webhook,
      answer: webhook,
      async write(tx, call) {
        const made = await createWebhook(tx, { sealer, random, url_policy }, companyCall(call), call.body.data);
        await refuseNumbersOfCards(tx, { vault }, { callback_url: made.webhook.callback_url });
        return presentWebhook(made.webhook, made.secret);
      },
      committed: due,
    }),
    operation('webhooks', {
      id: 'webhooks.list',
      summary: 'List the webhooks, newest first',
      description: 'Each by its id only.',
      query: { paged: true },
      answer: z.array(minimal_item),
      async read(tx, call) {
        const page = await listWebhooks(tx, companyCall(call), call.query.page);
        return present(page, presentMinimalWebhook);
      },
    }),
    operation('webhooks', {
      id: 'webhooks.states.list',
      method: 'company.webhooks.states',
      summary: 'List the webhooks with their state, newest first',
      description: 'Which fail and since when, what waits for them, and how their newest deliveries ended.',
      query: { paged: true, filter: state_filter },
      answer: z.array(webhook_overview),
      async read(tx, call) {
        const failing = readChoiceFilter(call.query, 'failing', ['true', 'false']);
        const { company_id } = companyCall(call);
        const wanted = { company_id, ...(failing && { failing: failing === 'true' }) };
        return present(await tx.webhooks.listStates(wanted, call.query.page), presentOverview);
      },
    }),
    operation('webhooks', {
      id: 'webhooks.read',
      summary: 'Read a webhook',
      parameters: ['id'],
      answer: webhook,
      async read(tx, call) {
        return presentWebhook(await readWebhook(tx, companyCall(call), call.id));
      },
    }),
    operation('webhooks', {
      id: 'webhooks.update',
      summary: 'Change the event types or the status of a webhook',
      description: 'What is absent stays.',
      parameters: ['id'],
      body: webhook_change,
      documented_body: update_webhook,
      takes_back: webhook,
      answer: webhook,
      async write(tx, call) {
        // The two fields that cannot be changed have any value here: the domain refuses them by
        // name.
        const input = call.body.data as WebhookRequestInput;
        const updated = await updateWebhook(tx, { sealer }, companyCall(call), call.id, input);
        return presentWebhook(updated);
      },
      committed: due,
    }),
    operation('webhooks', {
      id: 'webhooks.delete',
      summary: 'Delete a webhook with its deliveries',
      parameters: ['id'],
      answer: null,
      async write(tx, call) {
        await deleteWebhook(tx, companyCall(call), call.id);
      },
    }),
    operation('webhooks', {
      id: 'webhooks.rotateSecret',
      summary: 'Replace the secret of a webhook. The previous secret also signs for 24 hours',
      parameters: ['id'],
      answer: webhook,
      async write(tx, call) {
        const rotated = await rotateWebhookSecret(tx, { sealer, random }, companyCall(call), call.id);
        return presentWebhook(rotated.webhook, rotated.secret);
      },
    }),
    operation('webhooks', {
      id: 'webhooks.test',
      summary: 'Send a test delivery to a webhook, active or not',
      parameters: ['id'],
      runs_alone: 'it waits for the answer of the callback URL',
      answer: webhook_test,
      async perform(call) {
        const read = (tx: OperationTx) => readWebhook(tx, companyCall(call), call.id);
        return presentTest(await ports.webhooks.test(await ports.unitOfWork.read(read)));
      },
    }),
  ];
}

/** Seconds after which a test in progress has ended: it is one call. */
const test_s_max = webhook_request_ms_max / 1_000;

function presentTest(test: WebhookTest) {
  if (test.kind === 'tested') {
    const { kind: _, ...result } = test;
    return result;
  }
  if (test.of === 'all') throw new Busy('too many tests of webhooks are in progress', 'all', test_s_max);
  const message = `${webhook_tests_per_company_max} tests of the company's webhooks are in progress; wait for their answers`;
  throw new Busy(message, 'company', test_s_max);
}

function deliveries({ webhooks: { due } }: WebhookOperationPorts): readonly Operation[] {
  return [
    operation('webhooks', {
      id: 'webhooks.deliveries.list',
      summary: 'List the deliveries of a webhook with their attempts, newest first',
      parameters: ['id'],
      query: { paged: true, filter: delivery_filter },
      answer: z.array(delivery),
      async read(tx, call) {
        const filter = withoutAbsent({ state: readChoiceFilter(call.query, 'state', delivery_states) });
        const page = await listDeliveries(tx, companyCall(call), call.id, filter, call.query.page);
        return present(page, presentDelivery);
      },
    }),
    operation('webhooks', {
      id: 'webhooks.deliveries.read',
      summary: 'Read a delivery with its attempts and the body of their requests',
      parameters: ['id', 'delivery_id'],
      answer: delivery_with_body,
      async read(tx, call) {
        const { reading, body } = await readDelivery(tx, companyCall(call), call.id, call.delivery_id);
        return { ...presentDelivery(reading), body };
      },
    }),
    operation('webhooks', {
      id: 'webhooks.deliveries.retry',
      summary: 'Send a delivery again from the start of the schedule',
      parameters: ['id', 'delivery_id'],
      answer: null,
      async write(tx, call) {
        await retryDelivery(tx, companyCall(call), call.id, call.delivery_id);
      },
      committed: due,
    }),
    operation('webhooks', {
      id: 'webhooks.deliveries.recover',
      summary: `Send again the deliveries that failed since an instant, at most ${recovered_max.toLocaleString('en')} in one call`,
      parameters: ['id'],
      body: recover,
      answer: recovered,
      async write(tx, call) {
        const since_ms = Temporal.Instant.from(call.body.data.since).epochMilliseconds;
        return { recovered: await recoverDeliveries(tx, companyCall(call), call.id, since_ms) };
      },
      committed: due,
    }),
  ];
}
