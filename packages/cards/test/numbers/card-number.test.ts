import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { isLuhnValid, maskNumber, Violation } from '@tallystick/kernel';
import { propertyParameters, repeatableRandom } from '@tallystick/test-support';
import fc from 'fast-check';
import { Pan } from '../../src/index.ts';
import { drawCardNumber } from '../../src/numbers/card-number.ts';

const account_range = fc.stringMatching(/^[0-9]{6,12}$/);

test('a generated number has 16 digits, is in its account range and is Luhn-valid', () => {
  fc.assert(
    fc.property(account_range, fc.nat(), (range, seed) => {
      const number = drawCardNumber(range, repeatableRandom(seed)).reveal();
      assert.match(number, /^[0-9]{16}$/);
      assert.ok(number.startsWith(range) && isLuhnValid(number));
    }),
    propertyParameters({ short: 500, full: 1_500 }),
  );
});

test('the least and the greatest random value give the first and the last number of the range', () => {
  const drawing = (drawn: (bound: number) => number) =>
    drawCardNumber('512345', { below: drawn, bytes: () => new Uint8Array() }).reveal();
  assert.equal(drawing(() => 0).slice(0, 15), '512345000000000');
  assert.equal(drawing((bound) => bound - 1).slice(0, 15), '512345999999999');
});

test('every number of a range is as likely as every other', () => {
  const random = repeatableRandom(11);
  const counts = new Map<string, number>();
  const draws = 100_000;
  for (let draw = 0; draw < draws; draw += 1) {
    const number = drawCardNumber('512345678901', random).reveal();
    counts.set(number, (counts.get(number) ?? 0) + 1);
  }
  assert.equal(counts.size, 1_000);
  const expected = draws / 1_000;
  const chi_squared = [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  // 999 degrees of freedom: above 1,180 in fewer than one of 10,000 uniform samples, below 830 as rarely.
  assert.ok(chi_squared > 830 && chi_squared < 1_180, `chi squared is ${chi_squared}`);
});

test('an account range has 6 to 12 digits', () => {
  for (const range of ['', '51234', '5123456789012', '51234x']) {
    assert.throws(() => drawCardNumber(range, repeatableRandom(1)), Violation, range);
  }
});

test('a number is masked in every form of printing', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[0-9]{12,19}$/), (number) => {
      const pan = new Pan(number);
      const masked = `************${number.slice(-4)}`;
      assert.equal(pan.masked, masked);
      assert.equal(maskNumber(pan.last4), masked);
      assert.equal(`${pan}`, masked);
      assert.equal(JSON.stringify({ pan }), JSON.stringify({ pan: masked }));
      assert.ok(!inspect({ pan }, { showHidden: true, depth: 9 }).includes(number));
      assert.equal(pan.reveal(), number);
    }),
    propertyParameters(),
  );
});

test('a text that is not a card number is refused, and the message does not repeat it', () => {
  for (const wrong of ['41111111111', '41111111111111111111', '4111-1111-1111-1111', '']) {
    assert.throws(
      () => new Pan(wrong),
      (error) => error instanceof TypeError && (wrong === '' || !error.message.includes(wrong)),
    );
  }
});
