import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLifecycle } from '../../src/index.ts';

describe('the lifecycle of the server', () => {
  it('is idle when every received request is answered, and not before', async () => {
    const lifecycle = createLifecycle();
    const leave_first = lifecycle.enter();
    const leave_second = lifecycle.enter();
    let idle = false;
    const waiting = lifecycle.idle().then(() => (idle = true));
    lifecycle.stop();
    leave_first();
    await Promise.resolve();
    assert.equal(idle, false);
    assert.equal(lifecycle.in_flight, 1);
    leave_second();
    await waiting;
    assert.equal(lifecycle.in_flight, 0);
    assert.equal(lifecycle.stopping, true);
  });

  it('is idle immediately when nothing is in flight', async () => {
    await createLifecycle().idle();
  });
});
