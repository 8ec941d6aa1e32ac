import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createInterruption } from '../../src/call/interruption.ts';

describe('an interruption', () => {
  const reason = new Error('the reason');
  const never = new Promise<never>(() => {});

  it('rejects the work that is awaited, and all later work, with the first reason', async () => {
    const { interrupt, during } = createInterruption();
    const awaited = during(never);
    interrupt(reason);
    interrupt(new Error('a later reason'));
    await assert.rejects(awaited, reason);
    await assert.rejects(during(never), reason);
    await assert.rejects(during(Promise.reject(new Error('of the work'))), reason);
  });

  it('changes nothing of the work that settles before it', async () => {
    const { interrupt, during } = createInterruption();
    assert.equal(await during(Promise.resolve(1)), 1);
    const failed = new Error('of the work');
    await assert.rejects(during(Promise.reject(failed)), failed);
    interrupt(reason);
  });
});
