import assert from 'node:assert/strict';
import { test } from 'node:test';
import { invalid, invalidQuery, Refusal } from '../src/index.ts';

test('a refusal for fields names the first of them in its message and counts the others', () => {
  const refusal = invalid(
    { path: 'total_card_amount', message: 'must be more than 0' },
    { path: 'currency', message: 'must be a currency code such as EUR' },
  );
  assert.ok(refusal instanceof Refusal);
  assert.equal(refusal.code, 'validation_failed');
  assert.equal(refusal.message, 'total_card_amount must be more than 0 (and 1 more)');
  assert.equal(refusal.fields.length, 2);
});

test('a refusal for query parameters names each of them in its message', () => {
  const refusal = invalidQuery(
    { path: 'filter[mcc]', message: 'is repeated' },
    { path: 'page[limit]', message: 'must be an integer from 1 to 100' },
  );
  assert.equal(refusal.code, 'invalid_query');
  assert.equal(refusal.message, 'filter[mcc] is repeated; page[limit] must be an integer from 1 to 100');
});
