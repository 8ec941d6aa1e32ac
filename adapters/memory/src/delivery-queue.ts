import type { DeliveryOffer, DeliveryQueue } from '@tallystick/events';

/** A delivery queue in memory. It loses nothing while the process runs, and ends with it. */
export function memoryDeliveryQueue(): DeliveryQueue {
  let accept: ((offers: readonly DeliveryOffer[]) => void) | null = null;
  let waiting: readonly DeliveryOffer[] = [];
  let is_closed = false;
  return {
    async offer(offers) {
      if (is_closed) return;
      if (accept === null) waiting = [...waiting, ...offers];
      else accept(offers);
    },
    async consume(consumer) {
      accept = consumer;
      const offers = waiting;
      waiting = [];
      if (offers.length > 0) consumer(offers);
    },
    async depth() {
      return waiting.length;
    },
    async close() {
      is_closed = true;
      accept = null;
      waiting = [];
    },
  };
}
