import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { nearestName } from '../src/index.ts';

const known = ['currency', 'transactions_max', 'per_transaction_max', 'per_transaction_min', 'metadata', 'mcc'];

test('a misspelt name has the name that was meant as its nearest', () => {
  for (const [unknown, nearest] of [
    ['curency', 'currency'],
    ['currrency', 'currency'],
    ['cyrrency', 'currency'],
    ['cruerncy', 'currency'],
    ['Currency', 'currency'],
    ['CURRENCY', 'currency'],
    ['transaction_max', 'transactions_max'],
    ['transactionsMax', 'transactions_max'],
    ['per_transactions_max', 'per_transaction_max'],
    ['per_transaction_mni', 'per_transaction_min'],
    ['meta_data', 'metadata'],
    ['mc', 'mcc'],
  ] as const)
    assert.equal(nearestName(unknown, known), nearest, unknown);
});

test('a name that is far from all has no nearest', () => {
  for (const unknown of ['colour', 'x', '', 'emails', 'toString', '😀'.repeat(30)])
    assert.equal(nearestName(unknown, known), null, unknown);
  assert.equal(nearestName('currency', []), null);
});

test('every name is its own nearest, and the first of two that are as near wins', () => {
  for (const name of known) assert.equal(nearestName(name, known), name);
  assert.equal(nearestName('line_three', ['line_throw', 'line_threw', 'line_thres']), 'line_threw');
});

test('one change of a name of three or more characters keeps it the nearest of one', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme-ascii', minLength: 3, maxLength: 30 }),
      fc.nat(),
      fc.constantFrom('add', 'leave out', 'replace', 'exchange'),
      (name, seed, change) => {
        const at = seed % name.length;
        const [head, rest] = [name.slice(0, at), name.slice(at)];
        const changed = {
          add: `${head}q${rest}`,
          'leave out': head + rest.slice(1),
          replace: `${head}q${rest.slice(1)}`,
          exchange: head + (rest[1] ?? '') + rest[0] + rest.slice(2),
        }[change];
        assert.equal(nearestName(changed, [name]), name);
      },
    ),
  );
});
