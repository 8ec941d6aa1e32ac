import assert from 'node:assert/strict';
import { test } from 'node:test';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { add, greatest, least, money, subtract, sum_max, Violation, zero } from '../src/index.ts';

const amounts = fc.integer({ min: -(10 ** 12), max: 10 ** 12 }).map(money);

test('an amount is a safe integer of minor units', () => {
  for (const wrong of [0.5, Number.NaN, Number.POSITIVE_INFINITY, sum_max + 1, -sum_max - 1, 2 ** 60]) {
    assert.throws(() => money(wrong), Violation, String(wrong));
  }
  assert.equal(money(sum_max), sum_max);
});

test('zero has no sign', () => {
  assert.ok(Object.is(money(-0), 0));
});

test('what is added and subtracted again leaves nothing behind', () => {
  fc.assert(
    fc.property(amounts, amounts, (a, b) => subtract(add(a, b), b) === a),
    propertyParameters(),
  );
});

test('a sum does not depend on the order', () => {
  fc.assert(
    fc.property(fc.array(amounts, { maxLength: 50 }), (list) => add(...list) === add(...list.toReversed())),
    propertyParameters(),
  );
  assert.equal(add(), zero);
});

test('a sum past the largest is a violation, never a wrong number', () => {
  assert.throws(() => add(money(sum_max), money(1)), Violation);
  assert.throws(() => subtract(money(-sum_max), money(1)), Violation);
});

test('least and greatest are one of the two, in order', () => {
  fc.assert(
    fc.property(
      amounts,
      amounts,
      (a, b) => least(a, b) <= greatest(a, b) && add(least(a, b), greatest(a, b)) === add(a, b),
    ),
    propertyParameters(),
  );
});
