import { test } from 'node:test';
import { delivery_queue_contract } from '@tallystick/harness';
import { embeddedQueue } from '../src/index.ts';

for (const { rule, check } of delivery_queue_contract) {
  test(`embedded queue: ${rule}`, () => check(async () => embeddedQueue()));
}
