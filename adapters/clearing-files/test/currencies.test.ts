import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decimalsOf, isCurrency } from '@tallystick/kernel';
import { data } from 'currency-codes';

describe('the decimals of a currency', () => {
  it('are the same in files and in what people read', () => {
    const of_cards = data.filter(({ code }) => isCurrency(code));
    assert.ok(of_cards.length > 150);
    for (const { code, digits } of of_cards) assert.equal(decimalsOf(code), digits, code);
  });
});
