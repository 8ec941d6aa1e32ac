import { assert, type Call, type Page, type PageRequest, Refusal } from '@tallystick/kernel';
import type { EventsTx } from '../log/event-log.ts';
import { type DeliveryState, newRound } from './delivery.ts';
import { eventBody } from './delivery-request.ts';
import { readWebhook } from './manage-webhooks.ts';
import type { DeliveryReading, WebhooksTx } from './ports.ts';

type DeliveriesTx = Pick<WebhooksTx, 'webhooks' | 'deliveries'>;

export const recovered_max = 10_000;

/**
 * Lists the deliveries of the company's webhook, newest first, with their attempts. Refuses
 * `not_found`.
 */
export async function listDeliveries(
  tx: DeliveriesTx,
  call: Pick<Call, 'company_id'>,
  webhook_id: number,
  filter: { readonly state?: DeliveryState },
  page: PageRequest,
): Promise<Page<DeliveryReading>> {
  await readWebhook(tx, call, webhook_id);
  return tx.deliveries.list(webhook_id, filter, page);
}

/**
 * Reads one delivery of the company's webhook, with its attempts and the body of their requests.
 * Refuses `not_found`.
 */
export async function readDelivery(
  tx: DeliveriesTx & EventsTx,
  call: Pick<Call, 'company_id'>,
  webhook_id: number,
  id: number,
): Promise<{ readonly reading: DeliveryReading; readonly body: string }> {
  await readWebhook(tx, call, webhook_id);
  const reading = await tx.deliveries.read(webhook_id, id);
  if (reading === null) throw noDelivery(webhook_id, id);
  const { event_id, event_type } = reading.delivery;
  const event = await tx.events.find(call.company_id, event_id);
  assert(event !== null, `event ${event_id} is kept while it has a delivery`);
  return { reading, body: eventBody(event, event_type) };
}

/**
 * Sends one delivery again in any state, from the start of the schedule. A pending delivery is due
 * immediately, or as soon as the attempt in flight is recorded. Refuses `not_found`.
 */
export async function retryDelivery(
  tx: DeliveriesTx,
  call: Pick<Call, 'company_id' | 'now_ms'>,
  webhook_id: number,
  id: number,
): Promise<void> {
  await readWebhook(tx, call, webhook_id);
  const delivery = await tx.deliveries.find(webhook_id, id, { for_update: true });
  if (delivery === null) throw noDelivery(webhook_id, id);
  await tx.deliveries.update(newRound(delivery, call.now_ms));
}

/**
 * Sends again every delivery of the webhook that failed at the instant or later; at most
 * `recovered_max` in one call. Returns the number of deliveries. Refuses `not_found`.
 */
export async function recoverDeliveries(
  tx: DeliveriesTx,
  call: Pick<Call, 'company_id' | 'now_ms'>,
  webhook_id: number,
  since_ms: number,
): Promise<number> {
  await readWebhook(tx, call, webhook_id);
  return tx.deliveries.recover(webhook_id, since_ms, call.now_ms, recovered_max);
}

function noDelivery(webhook_id: number, id: number): Refusal {
  return new Refusal('not_found', `webhook ${webhook_id} has no delivery ${id}`);
}
