import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixedClock, invalid, Refusal, utcDate } from '../src/index.ts';

test('a refusal for fields says the first of them in its sentence', () => {
  const refusal = invalid(
    { path: 'total_card_amount', message: 'must be more than 0' },
    { path: 'currency', message: 'must be a currency code such as EUR' },
  );
  assert.ok(refusal instanceof Refusal);
  assert.equal(refusal.code, 'validation_failed');
  assert.equal(refusal.message, 'total_card_amount must be more than 0');
  assert.equal(refusal.fields.length, 2);
});

test('the GMT date of an instant changes at midnight UTC', () => {
  assert.equal(utcDate(fixedClock('2026-03-31T23:59:59.999Z').now()).toString(), '2026-03-31');
  assert.equal(utcDate(fixedClock('2026-04-01T00:00:00Z').now()).toString(), '2026-04-01');
});
