import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Refusal } from '@tallystick/kernel';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { holdsNumber, withoutNumbers } from '../src/card-number-guard.ts';
import { errorAnswer } from '../src/error-answer.ts';

/** A Luhn-valid number with these leading digits. */
function luhnNumber(leading: string): string {
  for (let check = 0; check < 10; check += 1) {
    let sum = 0;
    [...leading, String(check)].reverse().forEach((digit, index) => {
      const doubled = Number(digit) * (index % 2 === 1 ? 2 : 1);
      sum += doubled > 9 ? doubled - 9 : doubled;
    });
    if (sum % 10 === 0) return leading + check;
  }
  throw new Error('one of ten check digits fits');
}

const numbers = fc.stringMatching(/^[1-9]\d{11,17}$/).map(luhnNumber);

describe('the last guard of card numbers', () => {
  it('masks every run of 13 to 19 digits that passes the Luhn check, wherever it stands', () => {
    fc.assert(
      fc.property(numbers, fc.stringMatching(/^[a-z {}":.,=]{0,20}$/), (number, around) => {
        const guarded = withoutNumbers(`${around}${number}${around}`);
        assert.ok(!guarded.includes(number));
        assert.ok(guarded.includes(`************${number.slice(-4)}`));
        assert.ok(holdsNumber(number));
      }),
      propertyParameters(),
    );
  });

  it('leaves other digits alone', () => {
    for (const text of [
      '4111111111111112',
      'amount 1000000000000',
      '2026-01-31T12:00:00.123Z',
      'a 411111111111 b',
      '0.4111111111111111',
    ]) {
      assert.equal(withoutNumbers(text), text);
    }
  });

  it('lets no error repeat a number, written in groups or not, in a sentence or in the name of a field', () => {
    for (const number of ['4111111111111111', '4111 1111 1111 1111', '4111-1111-1111-1111']) {
      const fields = [{ path: `filter[${number}]`, message: `is no filter: ${number}` }];
      const told = JSON.stringify(
        errorAnswer(new Refusal('invalid_query', `filter[${number}] is no filter`, fields), 'r'),
      );
      assert.ok(!told.includes(number), told);
      assert.equal(told.split('************1111').length, 4);
    }
  });
});
