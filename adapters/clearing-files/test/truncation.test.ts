import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FileProblem } from '@tallystick/imports';
import { joined, readItems } from './reading.ts';
import { sampleContent, writings } from './sample-content.ts';

/** A CSV file without totals may end after any row. */
const without_totals = ['csv default'];

describe('a file that ends early is not accepted', () => {
  for (const { format, variant, name } of writings.filter((one) => !without_totals.includes(one.name))) {
    test(`${name}, after any byte`, async () => {
      const whole = joined(format.write!(sampleContent(5, 1), variant));
      const content_end = whole.toString('latin1').trimEnd().length;
      for (let end = 0; end < whole.length; end += 1) {
        try {
          await readItems(format, whole.subarray(0, end), [100_000]);
        } catch (problem) {
          if (!(problem instanceof FileProblem)) throw problem;
          continue;
        }
        assert.ok(end >= content_end, `accepted without its last ${whole.length - end} bytes`);
      }
      assert.equal((await readItems(format, whole)).at(-1)?.kind, 'end');
    });
  }
});
