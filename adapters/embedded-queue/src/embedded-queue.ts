import type { DeliveryOffer, DeliveryQueue } from '@tallystick/events';

/** Offers kept while nobody consumes; more are left to a sweep. */
const waiting_max = 10_000;

/**
 * The delivery queue of one process: an offer goes straight to this process's worker. The database, swept for what is due,
 * makes up for what is lost when the process ends.
 */
export function embeddedQueue(): DeliveryQueue {
  let accept: ((offers: readonly DeliveryOffer[]) => void) | null = null;
  let waiting: DeliveryOffer[] = [];
  let closed = false;
  return {
    async offer(offers) {
      if (closed) return;
      if (accept !== null) accept(offers);
      else waiting.push(...offers.slice(0, waiting_max - waiting.length));
    },
    async consume(consumer) {
      accept = consumer;
      const kept = waiting;
      waiting = [];
      if (kept.length > 0) consumer(kept);
    },
    async depth() {
      return waiting.length;
    },
    async close() {
      closed = true;
      accept = null;
      waiting = [];
    },
  };
}
