import assert from 'node:assert/strict';
import { test } from 'node:test';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { money, sum_max, Violation } from '../src/index.ts';

test('an amount is a safe integer of minor units', () => {
  for (const wrong of [0.5, Number.NaN, Number.POSITIVE_INFINITY, sum_max + 1, -sum_max - 1, 2 ** 60]) {
    assert.throws(() => money(wrong), Violation, String(wrong));
  }
  assert.equal(money(sum_max), sum_max);
});

test('zero has no sign', () => {
  assert.ok(Object.is(money(-0), 0));
});

test('an amount equals the integer from which it was made, with either sign', () => {
  fc.assert(
    fc.property(fc.integer({ min: -sum_max, max: sum_max }), (minor_units) => money(minor_units) === minor_units),
    propertyParameters(),
  );
});
