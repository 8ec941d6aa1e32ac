import assert from 'node:assert/strict';
import { test } from 'node:test';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { isLuhnValid, luhnCheckDigit } from '../src/index.ts';

const digits = fc.stringMatching(/^[0-9]{1,18}$/);

test('published numbers are Luhn-valid', () => {
  for (const number of ['79927398713', '4111111111111111', '5555555555554444', '378282246310005', '0']) {
    assert.ok(isLuhnValid(number), number);
  }
  for (const number of ['79927398710', '4111111111111112', '', '4111 1111 1111 1111']) {
    assert.ok(!isLuhnValid(number), number);
  }
});

test('exactly one digit makes a number Luhn-valid', () => {
  fc.assert(
    fc.property(digits, (payload) => {
      const valid = [...'0123456789'].filter((digit) => isLuhnValid(payload + digit));
      assert.deepEqual(valid, [luhnCheckDigit(payload)]);
    }),
    propertyParameters({ short: 500, full: 1_500 }),
  );
});

test('detects one wrong digit, and two exchanged neighbours (except 0 and 9)', () => {
  fc.assert(
    fc.property(digits, fc.nat(), fc.integer({ min: 1, max: 9 }), (payload, at, shift) => {
      const number = payload + luhnCheckDigit(payload);
      const place = at % number.length;
      const wrong = String((Number(number[place]) + shift) % 10);
      assert.ok(!isLuhnValid(number.slice(0, place) + wrong + number.slice(place + 1)));
      const [a, b] = [number[place], number[place + 1]];
      if (b === undefined || a === b || (a === '0' && b === '9') || (a === '9' && b === '0')) return;
      assert.ok(!isLuhnValid(number.slice(0, place) + b + a + number.slice(place + 2)));
    }),
    propertyParameters({ short: 500, full: 1_500 }),
  );
});
