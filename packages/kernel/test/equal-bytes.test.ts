import assert from 'node:assert/strict';
import { test } from 'node:test';
import { equalBytes } from '@tallystick/kernel';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';

test('byte strings are equal when all bytes are equal', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 4 }), fc.uint8Array({ maxLength: 4 }), (a, b) => {
      assert.equal(equalBytes(a, b), Buffer.compare(a, b) === 0);
      assert.equal(equalBytes(a, Uint8Array.from(a)), true);
    }),
    propertyParameters(),
  );
});
