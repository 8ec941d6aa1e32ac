import {
  type AuditLog,
  auditEntry,
  type Call,
  drawSharedSecret,
  type Page,
  type PageRequest,
  type Random,
  Refusal,
  refuseFaults,
  type Sealer,
} from '@tallystick/kernel';
import { type DeliveryState, newRound } from './delivery.ts';
import { relayEventsOf } from './relay.ts';
import {
  type CallbackUrlPolicy,
  distinctTypeIds,
  type Webhook,
  type WebhookRequestInput,
  type WebhookStatus,
  webhook_secret_purpose,
  webhookProblems,
} from './webhook.ts';
import type { DeliveryReading, DeliveryStore, Outbox, WebhookStore } from './webhook-ports.ts';

/** What these use cases need of a transaction. */
export interface WebhooksTx {
  readonly webhooks: WebhookStore;
  readonly deliveries: DeliveryStore;
  readonly outbox: Outbox;
  readonly audit: AuditLog;
}

export interface WebhookParts {
  readonly sealer: Sealer;
  readonly random: Random;
  readonly callback_url_policy: CallbackUrlPolicy;
}

/** How long the secret before a rotation goes on signing. */
const previous_secret_time_ms = 24 * 60 * 60 * 1_000;

/** How many deliveries one call of `recoverDeliveries` may restart. */
const recovered_max = 10_000;

const text = { encode: new TextEncoder(), decode: new TextDecoder() };

/** Registers a webhook. The secret is in the answer and is never shown again. */
export async function createWebhook(
  tx: WebhooksTx,
  parts: WebhookParts,
  call: Call,
  input: WebhookRequestInput,
): Promise<{ readonly webhook: Webhook; readonly secret: string }> {
  const problems = [...webhookProblems(input, parts.callback_url_policy)];
  if (input.callback_url == null) problems.unshift({ path: 'callback_url', message: 'is required: an https URL' });
  refuseFaults(problems);
  const secret = input.secret ?? drawSharedSecret(parts.random);
  // What happened before it was there is not for it.
  await relayEventsOf(tx, call.company_id, call.now_ms);
  const webhook = await tx.webhooks.insert({
    company_id: call.company_id,
    callback_url: input.callback_url as string,
    event_type_ids: distinctTypeIds(input.event_type_ids ?? []),
    status: (input.status as WebhookStatus | null | undefined) ?? 'active',
    secret_sealed: parts.sealer.seal(webhook_secret_purpose, text.encode.encode(secret)),
    previous_secret_sealed: null,
    previous_secret_until_ms: null,
    created_at_ms: call.now_ms,
  });
  return { webhook, secret };
}

/** The company's webhook. Refuses `not_found`. */
export async function readWebhook(
  tx: Pick<WebhooksTx, 'webhooks'>,
  call: Pick<Call, 'company_id'>,
  id: number,
  options?: { readonly for_update?: boolean },
): Promise<Webhook> {
  const webhook = await tx.webhooks.find(call.company_id, id, options);
  if (webhook === null) throw new Refusal('not_found', `there is no webhook ${id}`);
  return webhook;
}

/** The company's webhooks, newest first. */
export function listWebhooks(
  tx: Pick<WebhooksTx, 'webhooks'>,
  call: Pick<Call, 'company_id'>,
  page: PageRequest,
): Promise<Page<Webhook>> {
  return tx.webhooks.list(call.company_id, page);
}

/** Changes the event types or the status. Refuses the fields that cannot be changed by name. */
export async function updateWebhook(
  tx: WebhooksTx,
  parts: Pick<WebhookParts, 'callback_url_policy'>,
  call: Call,
  id: number,
  input: WebhookRequestInput,
): Promise<Webhook> {
  const fixed = (['callback_url', 'secret'] as const)
    .filter((path) => input[path] != null)
    .map((path) => ({
      path,
      message: path === 'secret' ? 'cannot be changed; rotate it' : 'cannot be changed; register another webhook',
    }));
  const { event_type_ids, status } = input;
  refuseFaults([...fixed, ...webhookProblems({ event_type_ids, status }, parts.callback_url_policy)]);
  // Before the webhook is held: a relay takes events first and webhooks then, and waits for nobody who does it the other way.
  await relayEventsOf(tx, call.company_id, call.now_ms);
  const webhook = await readWebhook(tx, call, id, { for_update: true });
  const updated: Webhook = {
    ...webhook,
    event_type_ids: event_type_ids == null ? webhook.event_type_ids : distinctTypeIds(event_type_ids),
    status: (status as WebhookStatus | null | undefined) ?? webhook.status,
  };
  await tx.webhooks.update(updated);
  return updated;
}

/** Deletes the webhook and drops its deliveries. Refuses `not_found`. */
export async function deleteWebhook(tx: WebhooksTx, call: Call, id: number): Promise<void> {
  if (!(await tx.webhooks.delete(call.company_id, id))) throw new Refusal('not_found', `there is no webhook ${id}`);
  await tx.audit.record(auditEntry(call, 'webhook.deleted', `webhook:${id}`), call.now_ms);
}

/** Gives the webhook a new secret, shown once. The one before signs too for 24 hours. */
export async function rotateWebhookSecret(
  tx: WebhooksTx,
  parts: Pick<WebhookParts, 'sealer' | 'random'>,
  call: Call,
  id: number,
): Promise<{ readonly webhook: Webhook; readonly secret: string }> {
  const webhook = await readWebhook(tx, call, id, { for_update: true });
  const secret = drawSharedSecret(parts.random);
  const rotated: Webhook = {
    ...webhook,
    secret_sealed: parts.sealer.seal(webhook_secret_purpose, text.encode.encode(secret)),
    previous_secret_sealed: webhook.secret_sealed,
    previous_secret_until_ms: call.now_ms + previous_secret_time_ms,
  };
  await tx.webhooks.update(rotated);
  await tx.audit.record(auditEntry(call, 'webhook.secret_rotated', `webhook:${id}`), call.now_ms);
  return { webhook: rotated, secret };
}

/** The deliveries of the company's webhook, newest first, with their attempts. */
export async function listDeliveries(
  tx: WebhooksTx,
  call: Call,
  id: number,
  filter: { readonly state?: DeliveryState },
  page: PageRequest,
): Promise<Page<DeliveryReading>> {
  await readWebhook(tx, call, id);
  return tx.deliveries.list(id, filter, page);
}

/** One delivery of the company's webhook, with its attempts. Refuses `not_found`. */
export async function readDelivery(
  tx: Pick<WebhooksTx, 'webhooks' | 'deliveries'>,
  call: Pick<Call, 'company_id'>,
  id: number,
  delivery_id: number,
): Promise<DeliveryReading> {
  await readWebhook(tx, call, id);
  const reading = await tx.deliveries.read(id, delivery_id);
  if (reading === null) throw noDelivery(id, delivery_id);
  return reading;
}

/**
 * Sends one delivery again, whatever became of it, from the start of the schedule. A pending one is due at once, or when the
 * attempt in flight has been recorded.
 */
export async function retryDelivery(tx: WebhooksTx, call: Call, id: number, delivery_id: number): Promise<void> {
  await readWebhook(tx, call, id);
  const delivery = await tx.deliveries.find(id, delivery_id, { for_update: true });
  if (delivery === null) throw noDelivery(id, delivery_id);
  await tx.deliveries.update(newRound(delivery, call.now_ms));
}

/** Sends every failed delivery since the instant again; returns how many, at most 10,000 in one call. */
export async function recoverDeliveries(tx: WebhooksTx, call: Call, id: number, since_ms: number): Promise<number> {
  await readWebhook(tx, call, id);
  return tx.deliveries.recover(id, since_ms, call.now_ms, recovered_max);
}

function noDelivery(webhook_id: number, id: number): Refusal {
  return new Refusal('not_found', `webhook ${webhook_id} has no delivery ${id}`);
}

/** Opens a secret that `createWebhook` or `rotateWebhookSecret` sealed. */
export function openWebhookSecret(sealer: Sealer, sealed: Uint8Array): string {
  return text.decode.decode(sealer.open(webhook_secret_purpose, sealed));
}
