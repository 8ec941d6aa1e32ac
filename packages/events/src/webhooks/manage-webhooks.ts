import {
  auditEntry,
  type Call,
  type Page,
  type PageRequest,
  type Random,
  Refusal,
  RequestFields,
  type Sealer,
  type UrlPolicy,
} from '@tallystick/kernel';
import type { WebhooksTx } from './ports.ts';
import { relayEventsOf } from './relay.ts';
import { readChangeableFields, readWebhookFields, type Webhook, type WebhookRequestInput } from './webhook.ts';
import { addSecretProblem, firstSecret, rotatedSecret } from './webhook-secret.ts';

export interface WebhookPorts {
  readonly sealer: Sealer;
  readonly random: Random;
  readonly url_policy: UrlPolicy;
}

/** Registers a webhook. Only this answer contains the secret; it is never shown again. */
export async function createWebhook(
  tx: WebhooksTx,
  ports: WebhookPorts,
  call: Call,
  input: WebhookRequestInput,
): Promise<{ readonly webhook: Webhook; readonly secret: string }> {
  const fields = new RequestFields(input);
  fields.require('callback_url', 'an https URL');
  const { callback_url, event_type_ids, secret: own_secret, status } = readWebhookFields(fields, ports.url_policy);
  fields.refuseInvalid();
  const { secret, secrets } = firstSecret(ports, own_secret);
  // Events older than the webhook are not delivered to it.
  await relayEventsOf(tx, call.company_id, call.now_ms);
  const webhook = await tx.webhooks.insert({
    company_id: call.company_id,
    callback_url: callback_url!,
    event_type_ids: event_type_ids ?? [],
    status: status ?? 'active',
    ...secrets,
    created_at_ms: call.now_ms,
  });
  return { webhook, secret };
}

/** Reads the company's webhook. Refuses `not_found`. */
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

/** Lists the company's webhooks, newest first. */
export function listWebhooks(
  tx: Pick<WebhooksTx, 'webhooks'>,
  call: Pick<Call, 'company_id'>,
  page: PageRequest,
): Promise<Page<Webhook>> {
  return tx.webhooks.list(call.company_id, page);
}

/**
 * Changes the event types or the status. A null resets them: no types, active. Refuses each field
 * that cannot be changed, by its name, unless the request sends its present value: a client may
 * send a webhook back as it was shown.
 */
export async function updateWebhook(
  tx: WebhooksTx,
  { sealer }: Pick<WebhookPorts, 'sealer'>,
  call: Call,
  id: number,
  input: WebhookRequestInput,
): Promise<Webhook> {
  const fields = new RequestFields(input);
  const { event_type_ids, status } = readChangeableFields(fields);
  fields.refuseInvalid();
  // This precedes the lock on the webhook: a relay locks companies first and webhooks second, and
  // the reverse order here could cause a deadlock.
  await relayEventsOf(tx, call.company_id, call.now_ms);
  const webhook = await readWebhook(tx, call, id, { for_update: true });
  if (fields.carries('callback_url') && fields.get('callback_url') !== webhook.callback_url) {
    fields.addProblem('callback_url', 'cannot be changed; register another webhook');
  }
  addSecretProblem(fields, sealer, webhook);
  fields.refuseInvalid();
  const updated: Webhook = {
    ...webhook,
    event_type_ids: event_type_ids ?? (fields.resets('event_type_ids') ? [] : webhook.event_type_ids),
    status: status ?? (fields.resets('status') ? 'active' : webhook.status),
  };
  await tx.webhooks.update(updated);
  return updated;
}

/** Deletes the webhook and its deliveries. Refuses `not_found`. */
export async function deleteWebhook(tx: WebhooksTx, call: Call, id: number): Promise<void> {
  if (!(await tx.webhooks.delete(call.company_id, id))) throw new Refusal('not_found', `there is no webhook ${id}`);
  await tx.audit.record(auditEntry(call, 'webhook.deleted', `webhook:${id}`), call.now_ms);
}

/**
 * Sets a new secret for the webhook, which is shown once. The previous secret also signs for 24
 * hours.
 */
export async function rotateWebhookSecret(
  tx: WebhooksTx,
  ports: Pick<WebhookPorts, 'sealer' | 'random'>,
  call: Call,
  id: number,
): Promise<{ readonly webhook: Webhook; readonly secret: string }> {
  const webhook = await readWebhook(tx, call, id, { for_update: true });
  const { secret, secrets } = rotatedSecret(ports, webhook, call.now_ms);
  const rotated: Webhook = { ...webhook, ...secrets };
  await tx.webhooks.update(rotated);
  await tx.audit.record(auditEntry(call, 'webhook.secret_rotated', `webhook:${id}`), call.now_ms);
  return { webhook: rotated, secret };
}
