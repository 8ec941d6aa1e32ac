import { test } from 'node:test';
import { casesOf, delivery_queue_contract } from '@tallystick/harness';
import { embeddedQueue } from '../src/index.ts';

for (const { name, run } of casesOf(delivery_queue_contract, async () => embeddedQueue())) {
  test(`embedded queue: ${name}`, run);
}
