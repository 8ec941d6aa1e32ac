import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { Overloaded } from '../../src/request/admission.ts';
import { createBodies } from '../../src/request/bodies.ts';

const unpaced = { open: () => () => 0 };
const isRefused = (error: unknown) => error instanceof Overloaded;

describe('the memory of all bodies', () => {
  it('is at most the bound, and is empty when every request has ended', () => {
    const step = fc.record({ owner: fc.constantFrom('a', 'b', 'c'), bytes: fc.nat(60), ends: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
        const bodies = createBodies(100, unpaced);
        const open = steps.map(({ owner, bytes, ends }) => {
          const account = bodies.open(owner);
          try {
            account.take(bytes);
          } catch (error) {
            assert.ok(isRefused(error));
          }
          if (ends) account.release();
          assert.ok(bodies.held_bytes <= 100);
          return account;
        });
        for (const account of [...open, ...open]) account.release();
        assert.equal(bodies.held_bytes, 0);
      }),
      propertyParameters(),
    );
  });

  it('is for one owner at most half of the bound, and leaves a share for each further one', () => {
    const bodies = createBodies(1200, unpaced);
    const fill = (owner: string): number => {
      let taken = 0;
      const account = bodies.open(owner);
      try {
        for (; taken <= 1200; taken += 1) account.take(1);
      } catch (error) {
        assert.ok(isRefused(error));
      }
      return taken;
    };
    assert.deepEqual(['a', 'b', 'c', 'd'].map(fill), [600, 300, 150, 75]);
  });

  it('is returned to the same owner when its request ends', () => {
    const bodies = createBodies(100, unpaced);
    const first = bodies.open('a');
    first.take(50);
    assert.throws(() => bodies.open('a').take(1), isRefused);
    first.release();
    bodies.open('a').take(50);
    assert.equal(bodies.held_bytes, 50);
  });
});
