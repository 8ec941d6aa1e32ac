import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { createSequenceWatch } from '../../src/devtools/listener.ts';

describe('a sequence that is watched', () => {
  it('reports exactly the missing numbers below the highest, in any order of arrival', () => {
    const numbers = fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 80 });
    fc.assert(
      fc.property(numbers, (came) => {
        const watch = createSequenceWatch();
        const seen = new Set<number>();
        for (const sequence of came) {
          assert.equal(watch.record(sequence), !seen.has(sequence));
          seen.add(sequence);
        }
        const highest = Math.max(0, ...came);
        assert.equal(watch.highest(), highest);
        const all = Array.from({ length: highest }, (_, index) => index + 1);
        assert.deepEqual(
          watch.missing(),
          all.filter((sequence) => !seen.has(sequence)),
        );
      }),
      propertyParameters(),
    );
  });
});
