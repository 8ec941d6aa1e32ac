import type { DeliveryOffer, DeliveryQueue } from '@tallystick/events';

/** Offers kept while there is no consumer. Further offers are left to a sweep. */
const waiting_max = 10_000;

/**
 * The delivery queue of one process: an offer goes directly to this process's worker. A sweep of
 * the database finds the due deliveries whose offers were lost when the process ended.
 */
export function embeddedQueue(): DeliveryQueue {
  let accept: ((offers: readonly DeliveryOffer[]) => void) | null = null;
  let waiting: DeliveryOffer[] = [];
  let closed = false;
  return {
    is_of_one_process: true,
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
