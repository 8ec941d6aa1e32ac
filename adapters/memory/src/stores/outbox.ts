import type { DeliveryOffer, EventToRelay, Outbox } from '@tallystick/events';
import type { State } from '../storage/state.ts';

/** The events that no relay has taken, and the deliveries that a relay makes of them. */
export function outbox({ deliveries, outbox: events, webhook_sequences, webhooks }: State): Outbox {
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
  };
}
