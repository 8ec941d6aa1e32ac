import { subscribedName } from '../log/event-type.ts';
import type { DeliveryOffer, EventToRelay, NewDelivery, Outbox } from './ports.ts';

/**
 * Makes deliveries of up to `limit` events that were not dispatched yet, one for each active webhook that subscribed to
 * the event's type, and returns them as offers for the queue: to be offered after the transaction has committed.
 *
 * Deliveries of one webhook are numbered in the order of the events, without a gap, whichever process relays.
 */
export async function relayEvents(
  tx: { readonly outbox: Outbox },
  now_ms: number,
  limit: number,
): Promise<{ readonly events: number; readonly offers: readonly DeliveryOffer[] }> {
  const events = await tx.outbox.take(limit);
  return { events: events.length, offers: await deliver(tx, events, now_ms) };
}

/**
 * The same for all events of one company, before its webhooks change: what happened until now is for those who subscribed to
 * it until now, however late a relay comes.
 */
export async function relayEventsOf(
  tx: { readonly outbox: Outbox },
  company_id: number,
  now_ms: number,
): Promise<readonly DeliveryOffer[]> {
  return deliver(tx, await tx.outbox.takeAllOf(company_id), now_ms);
}

async function deliver(
  tx: { readonly outbox: Outbox },
  events: readonly EventToRelay[],
  now_ms: number,
): Promise<readonly DeliveryOffer[]> {
  if (events.length === 0) return [];
  const subscribers = await tx.outbox.activeWebhooks([...new Set(events.map((event) => event.company_id))]);
  const deliveries: NewDelivery[] = [];
  for (const { webhook, last_sequence } of subscribers) {
    let sequence = last_sequence;
    for (const event of events) {
      const event_type =
        event.company_id === webhook.company_id ? subscribedName(event.event_type, webhook.event_type_ids) : null;
      if (event_type === null) continue;
      sequence += 1;
      deliveries.push({
        company_id: webhook.company_id,
        webhook_id: webhook.id,
        event_id: event.id,
        sequence,
        event_type,
        state: 'pending',
        attempts: 0,
        round: 1,
        round_started_at_ms: null,
        round_attempts: 0,
        due_at_ms: now_ms,
        created_at_ms: now_ms,
        finished_at_ms: null,
      });
    }
  }
  return deliveries.length === 0 ? [] : await tx.outbox.enqueue(deliveries);
}
