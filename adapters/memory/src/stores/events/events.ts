import {
  type DeliveryOffer,
  type Event,
  type EventStore,
  type EventToRelay,
  matches,
  type Outbox,
} from '@tallystick/events';
import { newestFirst } from '../../storage/paging.ts';
import type { State } from '../../storage/state.ts';
import { claim } from '../webhooks/delivery-desk.ts';

export function eventStore(state: State): EventStore {
  const { events } = state;
  return {
    async append(fresh) {
      return fresh.map((event) => appendEvent(state, { ...event, id: events.nextId() }));
    },
    async find(company_id, id) {
      const event = events.get(id);
      return event?.company_id === company_id ? event : null;
    },
    async list(company_id, filters, page) {
      const met = events
        .values()
        .filter((event) => (company_id ?? event.company_id) === event.company_id)
        .filter((event) => filters.every((filter) => matches(event, filter)));
      return newestFirst('events', met, page);
    },
  };
}

/**
 * Writes an event that already has its id, and adds it to the outbox. The event log and the ledger
 * both write events this way.
 */
export function appendEvent({ events, outbox }: State, event: Event): Event {
  const { id, company_id, event_type } = event;
  outbox.set(id, { id, company_id, event_type });
  return events.set(id, event);
}

/** The events that no relay has taken, and the deliveries that a relay makes of them. */
export function outbox(state: State): Outbox {
  const { deliveries, outbox: events, webhook_sequences, webhooks } = state;

  function take(wanted: readonly EventToRelay[]): readonly EventToRelay[] {
    for (const { id } of wanted) events.delete(id);
    return wanted;
  }

  /** Writers run one after the other, so ids are in the order of the commits. */
  function inOrder(): EventToRelay[] {
    return [...events.values()].sort((a, b) => a.id - b.id);
  }

  return {
    async take(limit) {
      return { events: take(inOrder().slice(0, limit)), passed_over: false };
    },

    async takeAllOf(company_id) {
      return take(inOrder().filter((event) => event.company_id === company_id));
    },

    async activeWebhooks(company_ids) {
      const active = webhooks
        .values()
        .filter((webhook) => webhook.status === 'active' && company_ids.includes(webhook.company_id));
      return active
        .sort((a, b) => a.id - b.id)
        .map((webhook) => ({ webhook, last_sequence: webhook_sequences.get(webhook.id) ?? 0 }));
    },

    async enqueue(fresh) {
      return fresh.map((delivery): DeliveryOffer => {
        const id = deliveries.nextId();
        deliveries.set(id, { ...delivery, id });
        webhook_sequences.set(delivery.webhook_id, delivery.sequence);
        return { delivery_id: id, webhook_id: delivery.webhook_id };
      });
    },

    claim: async (delivery_ids, now_ms, lease) => claim(state, delivery_ids, now_ms, lease),
  };
}
