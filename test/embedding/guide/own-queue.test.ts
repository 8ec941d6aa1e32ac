// own-queue.test.ts
import { it } from 'node:test';
import type { DeliveryOffer, DeliveryQueue } from '@tallystick/events';
import { casesOf, delivery_queue_contract } from '@tallystick/harness';

export function ownQueue(): DeliveryQueue {
  let waiting: DeliveryOffer[] = [];
  let pass: ((offers: readonly DeliveryOffer[]) => void) | null = null;
  let is_closed = false;
  return {
    async offer(offers) {
      if (is_closed) return;
      if (pass === null) waiting.push(...offers);
      else pass(offers);
    },
    async consume(accept) {
      pass = accept;
      accept(waiting.splice(0));
    },
    depth: async () => waiting.length,
    async close() {
      is_closed = true;
      waiting = [];
    },
  };
}

for (const { name, run } of casesOf(delivery_queue_contract, async () => ownQueue())) it(name, run);
