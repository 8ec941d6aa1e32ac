import assert from 'node:assert/strict';
import { test } from 'node:test';
import { showAmount, sum_max } from '../src/index.ts';

test('an amount is shown with the decimals of its currency, exactly', () => {
  const shown = [
    [0, 'USD', '0.00 USD'],
    [5, 'USD', '0.05 USD'],
    [-1_250, 'USD', '-12.50 USD'],
    [-5, 'JPY', '-5 JPY'],
    [1_234, 'KWD', '1.234 KWD'],
    [sum_max - 1, 'USD', '9999999999999.99 USD'],
  ] as const;
  for (const [amount, currency, text] of shown) assert.equal(showAmount(amount, currency), text);
});
