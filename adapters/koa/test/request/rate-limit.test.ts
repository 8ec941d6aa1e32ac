import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { createRateLimit, type RateLimit } from '../../src/request/rate-limit.ts';

/** The seconds to wait; 0 when a token was taken. */
function taken(limit: RateLimit, id: string, per_minute: number): number {
  return limit.take([{ id, per_minute }])?.wait_s ?? 0;
}

describe('the rate limit of a key', () => {
  it('allows the requests of one minute immediately, then one per share of a minute', () => {
    let now_ms = 0;
    const limit = createRateLimit(() => now_ms);
    for (let i = 0; i < 60; i += 1) assert.equal(taken(limit, 'a', 60), 0);
    assert.equal(taken(limit, 'a', 60), 1);
    now_ms += 999;
    assert.equal(taken(limit, 'a', 60), 1);
    now_ms += 1;
    assert.equal(taken(limit, 'a', 60), 0);
    assert.equal(taken(limit, 'a', 60), 1);
  });

  it('does not affect other keys', () => {
    const limit = createRateLimit(() => 0);
    assert.equal(taken(limit, 'a', 1), 0);
    assert.equal(taken(limit, 'a', 1), 60);
    assert.equal(taken(limit, 'b', 1), 0);
  });

  it('takes from every bucket or from none, and names the limit with the longest wait', () => {
    let now_ms = 0;
    const limit = createRateLimit(() => now_ms);
    const [key, company] = [
      { id: 'key:1', per_minute: 2 },
      { id: 'company:1', per_minute: 3 },
    ];
    assert.equal(limit.take([key, company]), null);
    assert.equal(limit.take([key, company]), null);
    assert.deepEqual(limit.take([key, company]), { limit: key, wait_s: 30 });
    assert.equal(limit.take([company]), null, 'the refused request took no token of the company');
    assert.deepEqual(limit.take([{ id: 'key:2', per_minute: 2 }, company]), { limit: company, wait_s: 20 });
    assert.deepEqual(limit.take([key, company]), { limit: key, wait_s: 30 });
    now_ms += 20_000;
    assert.equal(limit.take([{ id: 'key:2', per_minute: 2 }, company]), null, 'key 2 kept its tokens');
  });

  it('remembers nothing of a limit that is only looked at', () => {
    const limit = createRateLimit(() => 0);
    assert.equal(limit.reached([{ id: 'invented', per_minute: 1 }]), null);
    assert.deepEqual([taken(limit, 'invented', 2), taken(limit, 'invented', 2)], [0, 0]);
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
          if (taken(limit, 'a', per_minute) === 0) through += 1;
        }
        assert.ok(through <= per_minute + (now_ms * per_minute) / 60_000 + 1e-6);
      }),
      propertyParameters(),
    );
  });

  it('allows a request after the wait that it returned', () => {
    let now_ms = 0;
    const limit = createRateLimit(() => now_ms);
    for (let i = 0; i < 7; i += 1) taken(limit, 'a', 7);
    now_ms += taken(limit, 'a', 7) * 1000;
    assert.equal(taken(limit, 'a', 7), 0);
  });
});
