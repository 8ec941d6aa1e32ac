import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contradiction } from '../src/totals.ts';

test('two totals that differ are shown with their difference', () => {
  assert.equal(contradiction(5n, 3n), '5, but the records make 3, a difference of 2');
  assert.equal(contradiction(0n, 123_456_789_012_345n).slice(-15), '123456789012345');
});

test('a total that could be a card number in a wrong place is not shown, nor what it differs by', () => {
  assert.equal(contradiction(5_555_440_000_000_006n, 7n), '(many digits), but the records make 7');
  assert.equal(contradiction(1n, 5_555_440_000_001_240n), '1, but the records make (many digits)');
  assert.equal(contradiction(371_449_635_398_431n, 7n), '************8431, but the records make 7');
});
