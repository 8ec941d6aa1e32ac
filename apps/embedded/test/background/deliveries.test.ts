import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Fault, fixedClock, machine_timers } from '@tallystick/kernel';
import { memoryDeliveryQueue, memoryPersistence, memoryVault } from '@tallystick/memory';
import { createDeliveries } from '../../src/background/deliveries.ts';

it('a sweep takes offers once the queue answers, even if the first sweep could not', async (t) => {
  const clock = fixedClock('2026-01-15T12:00:00Z');
  const queue = memoryDeliveryQueue();
  let consumers = 0;
  const deliveries = createDeliveries({
    persistence: memoryPersistence({ clock }),
    vault: {
      ...memoryVault(),
      random: { below: () => 0, bytes: (count) => new Uint8Array(count) },
      hmacSha256: () => new Uint8Array(32),
    },
    clock,
    timers: machine_timers,
    queue: {
      ...queue,
      async consume(accept) {
        consumers += 1;
        if (consumers === 1) throw new Fault('the queue is away', { retryable: true });
        await queue.consume(accept);
      },
    },
    sender: { send: () => Promise.reject(new Error('nothing is due')), close: async () => {} },
    observer: { attempted: () => {}, faulted: () => {} },
    refresh: async () => {},
    sends: true,
    is_off: false,
  });
  t.after(() => deliveries.stop());
  const sweep = deliveries.jobs.find(({ name }) => name === 'delivery sweep')!;
  await assert.rejects(async () => await sweep.run(), Fault);
  await sweep.run();
  await sweep.run();
  assert.equal(consumers, 2);
});
