import assert from 'node:assert/strict';
import { test } from 'node:test';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { amount_max, money, scale, sum_max, Violation } from '../src/index.ts';

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

test('a scaled amount is rounded half up', () => {
  assert.equal(scale(1, 1, 2), 1);
  assert.equal(scale(3, 1, 2), 2);
  assert.equal(scale(1, 49, 100), 0);
  assert.equal(scale(7, 2, 3), 5);
  assert.equal(scale(0, 5, 3), 0);
});

test('a scaled amount is exact for large amounts, and at most amount_max', () => {
  assert.equal(scale(amount_max - 1, amount_max - 1, amount_max), amount_max - 2);
  assert.equal(scale(amount_max, amount_max, 1), amount_max);
});

test('an amount is not scaled by a denominator of 0, or by negative numbers', () => {
  for (const [amount, numerator, denominator] of [
    [1, 1, 0],
    [-1, 1, 1],
    [1, -1, 1],
    [1, 1, -1],
  ] as const) {
    assert.throws(() => scale(amount, numerator, denominator), Violation);
  }
});

test('an amount scaled by a number over itself is the same amount', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: amount_max }),
      fc.integer({ min: 1, max: amount_max }),
      (amount, whole) => scale(amount, whole, whole) === amount,
    ),
    propertyParameters(),
  );
});
