import type { CompanyStore } from '@tallystick/access';
import type { DecisionEndpointTx } from '@tallystick/cards';
import {
  afterAttempt,
  type Delivery,
  type DeliveryDesk,
  type DeliveryOffer,
  type EventsTx,
  relayEvents,
  type Webhook,
  type WebhookAnswer,
  type WebhooksTx,
  type WorkOrder,
  type WorkResult,
} from '@tallystick/events';
import type { Call, Lease, Sealer } from '@tallystick/kernel';
import { newCompany, type SharedStorage } from '../storage/storage.ts';

export interface WebhookStorageTx extends WebhooksTx, EventsTx, DecisionEndpointTx {
  readonly companies: CompanyStore;
}

export interface WebhookStorage extends SharedStorage<WebhookStorageTx> {
  readonly delivery_desk: DeliveryDesk;
}

/** Service time and machine time at the start of every rule. */
export const now_ms = Date.UTC(2026, 0, 15, 12);
export const minute_ms = 60_000;
export const lease: Lease = { token: 'one', machine_ms: now_ms, until_machine_ms: now_ms + 30_000 };

export const success: WebhookAnswer = answered(204);
export const timeout: WebhookAnswer = { kind: 'unanswered', error: 'timeout', detail: 'late', duration_ms: 3 };

export function answered(status: number, excerpt = ''): WebhookAnswer {
  return { kind: 'answered', status, excerpt, retry_after: null, duration_ms: 3 };
}

/** Stores secrets as they are: these contracts are not about encryption. */
export const clear_sealer: Sealer = {
  seal: (_purpose, clear) => clear,
  open: (_purpose, sealed) => sealed,
  isCurrent: () => true,
};

export function callOf(company_id: number, at_ms = now_ms): Call {
  return { company_id, actor: 'key:1', request_id: null, now_ms: at_ms };
}

export function webhookOf(company_id: number, change: Partial<Webhook> = {}): Omit<Webhook, 'id'> {
  return {
    company_id,
    callback_url: 'https://hooks.example/',
    event_type_ids: [1],
    status: 'active',
    secret_sealed: new Uint8Array([1, 2, 3]),
    previous_secret_sealed: null,
    previous_secret_until_ms: null,
    created_at_ms: now_ms,
    ...change,
  };
}

export function register(
  { unitOfWork }: WebhookStorage,
  company_id: number,
  change: Partial<Webhook> = {},
): Promise<Webhook> {
  return unitOfWork.run((tx) => tx.webhooks.insert(webhookOf(company_id, change)));
}

export function writeWebhook({ unitOfWork }: WebhookStorage, webhook: Webhook): Promise<void> {
  return unitOfWork.run(async ({ webhooks }) => {
    await webhooks.find(webhook.company_id, webhook.id, { for_update: true });
    await webhooks.update(webhook);
  });
}

/** Appends events of type 1 in the transaction; returns their ids. */
export async function appendEventsIn(tx: EventsTx, company_id: number, count: number): Promise<readonly number[]> {
  const events = Array.from({ length: count }, (_, place) => ({
    company_id,
    event_type: 'virtualcard.created',
    payload: { id: place },
    previous: null,
    created_at_ms: now_ms,
    request_id: null,
  }));
  return (await tx.events.append(events)).map(({ id }) => id);
}

export function appendEvents(
  { unitOfWork }: WebhookStorage,
  company_id: number,
  count: number,
): Promise<readonly number[]> {
  return unitOfWork.run((tx) => appendEventsIn(tx, company_id, count));
}

/** Relays until no event is left, at most `limit` in one transaction. Returns the offers. */
export async function relayAll({ unitOfWork }: WebhookStorage, limit = 100): Promise<readonly DeliveryOffer[]> {
  const offers: DeliveryOffer[] = [];
  for (;;) {
    const relayed = await unitOfWork.run((tx) => relayEvents(tx, now_ms, limit));
    offers.push(...relayed.offers);
    if (relayed.events === 0) return offers;
  }
}

/** The deliveries of the webhook, the oldest first; at most 100. */
export async function deliveriesOf({ unitOfWork }: WebhookStorage, webhook_id: number): Promise<readonly Delivery[]> {
  const page = await unitOfWork.read((tx) => tx.deliveries.list(webhook_id, {}, { limit: 100 }));
  return page.items.map(({ delivery }) => delivery).toReversed();
}

/**
 * Creates a webhook of a new company with `count` deliveries that are due now. Returns their ids,
 * the oldest first.
 */
export async function queued(
  storage: WebhookStorage,
  count: number,
): Promise<{ readonly webhook: Webhook; readonly ids: readonly number[] }> {
  const company_id = await newCompany(storage);
  const webhook = await register(storage, company_id);
  await appendEvents(storage, company_id, count);
  await relayAll(storage);
  return { webhook, ids: (await deliveriesOf(storage, webhook.id)).map(({ id }) => id) };
}

/** Returns the result of a work order that received this answer. */
export function resultOf({ delivery, lease: token }: WorkOrder, answer: WebhookAnswer, at_ms = now_ms): WorkResult {
  return { ...afterAttempt(delivery, answer, at_ms, JSON.stringify({ 'x-timestamp': String(at_ms) })), lease: token };
}

/** Returns the result of the fifth and last attempt of a round, which failed. */
export function lastFailureOf(order: WorkOrder, at_ms = now_ms): WorkResult {
  const fifth = { ...order.delivery, round_attempts: 4, round_started_at_ms: now_ms };
  return resultOf({ ...order, delivery: fifth }, timeout, at_ms);
}
