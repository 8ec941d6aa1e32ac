import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Refusal } from '@tallystick/kernel';
import { errorAnswer } from '../../src/answer/error-answer.ts';

describe('the answer to an error', () => {
  it('repeats no card number, written in groups or not, in a sentence or in the name of a field', () => {
    for (const number of ['4111111111111111', '4111 1111 1111 1111', '4111-1111-1111-1111']) {
      const fields = [{ path: `filter[${number}]`, message: `is no filter: ${number}` }];
      const shown = JSON.stringify(
        errorAnswer(new Refusal('invalid_query', `filter[${number}] is no filter`, fields), 'r'),
      );
      assert.ok(!shown.includes(number), shown);
      assert.equal(shown.split('************1111').length, 4);
    }
  });
});
