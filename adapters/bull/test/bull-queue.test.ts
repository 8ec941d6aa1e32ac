import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:net';
import { after, test } from 'node:test';
import type { DeliveryQueue } from '@tallystick/events';
import { casesOf, delivery_queue_contract } from '@tallystick/harness';
import { redis_expected, redis_url } from '@tallystick/test-support';
import { bullQueue } from '../src/index.ts';

const open: DeliveryQueue[] = [];
after(() => Promise.all(open.map((queue) => queue.close())));

function queue(url: string, prefix = `tallystick-test-${randomUUID()}`): DeliveryQueue {
  const made = bullQueue({ redis_url: url, prefix });
  open.push(made);
  return made;
}

if (redis_expected) {
  for (const { name, run } of casesOf(delivery_queue_contract, async () => queue(redis_url)))
    test(`Bull: ${name}`, run);

  test('Bull: each offer reaches one of two workers', async () => {
    const prefix = `tallystick-test-${randomUUID()}`;
    const came: number[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    for (const worker of [queue(redis_url, prefix), queue(redis_url, prefix)]) {
      await worker.consume((offers) => {
        came.push(...offers.map(({ delivery_id }) => delivery_id));
        if (came.length >= 320) resolve();
      });
    }
    const sender = queue(redis_url, prefix);
    await sender.offer(Array.from({ length: 320 }, (_, place) => ({ delivery_id: place, webhook_id: 1 })));
    await promise;
    assert.equal(new Set(came).size, 320);
    assert.equal(came.length, 320);
  });
}

test('Bull: without Redis an offer ends in bounded time, and nothing rejects', async (t) => {
  const refusing = createServer((socket) => socket.destroy());
  t.after(() => new Promise<void>((resolve) => refusing.close(() => resolve())));
  await new Promise<void>((resolve) => refusing.listen(0, '127.0.0.1', resolve));
  const { port } = refusing.address() as { port: number };
  const errors: unknown[] = [];
  const away = bullQueue({ redis_url: `redis://127.0.0.1:${port}`, onError: (error) => errors.push(error) });
  t.after(() => away.close());
  await away.offer([{ delivery_id: 1, webhook_id: 1 }]);
  assert.ok(errors.length > 0);
});
