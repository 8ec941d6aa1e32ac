import type { DeliveryOffer, DeliveryQueue } from '@tallystick/events';
import { assert } from '@tallystick/kernel';
import { type ContractRule, rule } from '../rule.ts';

function offersUpTo(count: number): readonly DeliveryOffer[] {
  return Array.from({ length: count }, (_, place) => ({ delivery_id: place + 1, webhook_id: (place % 7) + 1 }));
}

/**
 * Collects the offers that a queue passes on. `atLeast` resolves after that many different
 * deliveries.
 */
function collector() {
  const came = new Map<number, number>();
  let wanted = 0;
  let reached: () => void = () => {};
  return {
    came,
    accept(offers: readonly DeliveryOffer[]): void {
      for (const { delivery_id, webhook_id } of offers) came.set(delivery_id, webhook_id);
      if (came.size >= wanted) reached();
    },
    atLeast(count: number): Promise<void> {
      wanted = count;
      return new Promise((resolve) => {
        reached = resolve;
        if (came.size >= count) resolve();
      });
    },
  };
}

/**
 * The contract of every adapter of `DeliveryQueue` while its infrastructure works. `open` returns a
 * new, empty queue, which the caller closes.
 */
export const delivery_queue_contract: readonly ContractRule<DeliveryQueue>[] = [
  rule('an offer reaches the consumer with both its ids', async (queue) => {
    const { accept, atLeast, came } = collector();
    await queue.consume(accept);
    const offers = offersUpTo(100);
    await queue.offer(offers);
    await atLeast(100);
    for (const { delivery_id, webhook_id } of offers) {
      assert(
        came.get(delivery_id) === webhook_id,
        `delivery ${delivery_id} came with webhook ${came.get(delivery_id)}`,
      );
    }
  }),
  rule('an offer waits and is counted until a consumer starts', async (queue) => {
    await queue.offer(offersUpTo(10));
    assert((await queue.depth()) > 0, 'nothing waits');
    const { accept, atLeast } = collector();
    await queue.consume(accept);
    await atLeast(10);
  }),
  rule('nothing waits after all offers were passed on', async (queue) => {
    const { accept, atLeast } = collector();
    await queue.consume(accept);
    await queue.offer(offersUpTo(50));
    await atLeast(50);
    assert((await queue.depth()) === 0, `${await queue.depth()} still wait`);
  }),
  rule('an empty offer adds nothing', async (queue) => {
    await queue.offer([]);
    assert((await queue.depth()) === 0, 'something waits');
  }),
  rule('offers of many concurrent callers all arrive', async (queue) => {
    const { accept, atLeast } = collector();
    await queue.consume(accept);
    await Promise.all(offersUpTo(200).map((offer) => queue.offer([offer])));
    await atLeast(200);
  }),
  rule('a closed queue accepts no offer and does not reject', async (queue) => {
    const { accept, came } = collector();
    await queue.consume(accept);
    await queue.close();
    await queue.offer(offersUpTo(3));
    assert(came.size === 0, `${came.size} offers came after closing`);
  }),
];
