import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { joined, readItems, readProblem } from '@tallystick/harness';
import { statement_formats } from '../src/index.ts';
import { sampleStatements } from './arbitrary-statements.ts';

describe('a statement file that ends early is truncated', () => {
  for (const format of statement_formats) {
    test(`${format.name}, after any byte`, async () => {
      const whole = joined(format.writeStatements!(sampleStatements(3, 1)));
      const content_end = whole.toString('latin1').trimEnd().length;
      for (let end = 0; end < content_end; end += 1) {
        const { status, code } = await readProblem(format, whole.subarray(0, end), [100_000]);
        assert.equal(status, 'truncated', `${code} without the last ${whole.length - end} bytes`);
      }
      for (let end = content_end; end <= whole.length; end += 1) {
        assert.equal((await readItems(format, whole.subarray(0, end))).at(-1)?.kind, 'end');
      }
    });
  }
});
