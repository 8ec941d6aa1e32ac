import assert from 'node:assert/strict';
import type { ClearingFormat } from '@tallystick/imports';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import type { TestContent } from './arbitrary-content.ts';
import { badRecordsOf, joined, readItems } from './reading.ts';

/** Asserts that each clearing that is written as a malformed one is read as a bad record. */
export async function assertMalformedAreBad(
  format: ClearingFormat,
  content: fc.Arbitrary<TestContent>,
  variant?: string,
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(content, async (drawn) => {
      const clearings = drawn.clearings.map((written) => ({ ...written, malformed: true }));
      const items = await readItems(format, joined(format.write!({ ...drawn, clearings }, variant)));
      assert.deepEqual(
        badRecordsOf(items).map(({ code }) => code),
        clearings.map(() => 'currency_unknown'),
      );
    }),
    propertyParameters({ short: 20, full: 60 }),
  );
}
