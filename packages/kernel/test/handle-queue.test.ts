import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createHandleQueue } from '../src/index.ts';

it('work with one handle runs in turn, also after a failure, and other handles do not wait', async () => {
  const inTurn = createHandleQueue();
  const handle = {};
  const first = Promise.withResolvers<void>();
  const ran: string[] = [];
  const failing = inTurn(handle, async () => {
    ran.push('first');
    await first.promise;
    throw new Error('first failed');
  });
  const second = inTurn(handle, async () => {
    ran.push('second');
    return 2;
  });
  await inTurn({}, async () => void ran.push('other'));
  assert.deepEqual(ran, ['first', 'other']);
  first.resolve();
  await assert.rejects(failing, /first failed/);
  assert.equal(await second, 2);
});
