import assert from 'node:assert/strict';
import { test } from 'node:test';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { createFairShare } from '../src/index.ts';

test('an amount may be taken at once exactly when it may be taken one after another', () => {
  const step = fc.record({ owner: fc.constantFrom('a', 'b', 'c', null), amount: fc.integer({ min: 1, max: 40 }) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const [at_once, one_by_one] = [createFairShare(100), createFairShare(100)];
      for (const { owner, amount } of steps) {
        let taken = 0;
        for (; taken < amount && one_by_one.mayTake(owner); taken += 1) one_by_one.take(owner);
        assert.equal(at_once.mayTake(owner, amount), taken === amount);
        if (taken === amount) at_once.take(owner, amount);
        else one_by_one.release(owner, taken);
        assert.equal(at_once.taken, one_by_one.taken);
        assert.ok(at_once.taken <= 100);
      }
    }),
    propertyParameters(),
  );
});
