import assert from 'node:assert/strict';
import { test } from 'node:test';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { countOther, type OtherRecords } from '../../src/staging/count-others.ts';

test('every record is counted once, in a bounded number of types, whatever the types are', () => {
  const type = fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', '1740/700', '5555555555554444'));
  fc.assert(
    fc.property(fc.array(type, { maxLength: 300 }), (types) => {
      let counts: OtherRecords = {};
      for (const one of types) counts = countOther(counts, one);
      const sum = Object.values(counts).reduce((total, count) => total + count, 0);
      assert.equal(sum, types.length);
      assert.ok(Object.keys(counts).length <= 101);
      assert.ok(!JSON.stringify(counts).includes('5555555555554444'));
    }),
    propertyParameters(),
  );
});
