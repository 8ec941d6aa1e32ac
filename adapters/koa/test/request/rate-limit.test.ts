import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { createRateLimit } from '../../src/request/rate-limit.ts';

describe('the rate limit of a key', () => {
  it('allows the requests of one minute immediately, then one per share of a minute', () => {
    let now_ms = 0;
    const limit = createRateLimit(() => now_ms);
    for (let i = 0; i < 60; i += 1) assert.equal(limit.take('a', 60), 0);
    assert.equal(limit.take('a', 60), 1);
    now_ms += 999;
    assert.equal(limit.take('a', 60), 1);
    now_ms += 1;
    assert.equal(limit.take('a', 60), 0);
    assert.equal(limit.take('a', 60), 1);
  });

  it('does not affect other keys', () => {
    const limit = createRateLimit(() => 0);
    assert.equal(limit.take('a', 1), 0);
    assert.equal(limit.take('a', 1), 60);
    assert.equal(limit.take('b', 1), 0);
  });

  it('never allows more requests than a full bucket and its refill since', () => {
    const waits = fc.array(fc.integer({ min: 0, max: 5_000 }), { maxLength: 200 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 120 }), waits, (per_minute, waits_ms) => {
        let now_ms = 0;
        let through = 0;
        const limit = createRateLimit(() => now_ms);
        for (const wait_ms of waits_ms) {
          now_ms += wait_ms;
          if (limit.take('a', per_minute) === 0) through += 1;
        }
        assert.ok(through <= per_minute + (now_ms * per_minute) / 60_000 + 1e-6);
      }),
      propertyParameters(),
    );
  });

  it('allows a request after the wait that it returned', () => {
    let now_ms = 0;
    const limit = createRateLimit(() => now_ms);
    for (let i = 0; i < 7; i += 1) limit.take('a', 7);
    now_ms += limit.take('a', 7) * 1000;
    assert.equal(limit.take('a', 7), 0);
  });
});
