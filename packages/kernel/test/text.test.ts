import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  drawSharedSecret,
  isBlank,
  isName,
  isSharedSecret,
  isStorable,
  toInstantText,
  toStorableJson,
} from '../src/index.ts';

test('a generated secret is valid, with 43 letters and digits, each drawn from 62', () => {
  const bounds: number[] = [];
  let draws = 0;
  const secret = drawSharedSecret({
    below(bound) {
      bounds.push(bound);
      draws += 1;
      return draws % bound;
    },
    bytes: () => new Uint8Array(),
  });
  assert.match(secret, /^[0-9A-Za-z]{43}$/);
  assert.deepEqual(
    bounds,
    Array.from({ length: 43 }, () => 62),
  );
  assert.equal(new Set(secret).size, 43);
  assert.ok(isSharedSecret(secret));
});

test('a chosen secret has 16 to 256 characters that UTF-8 can encode', () => {
  assert.ok(isSharedSecret('s'.repeat(16)) && isSharedSecret('s'.repeat(256)));
  for (const wrong of ['s'.repeat(15), 's'.repeat(257), `\ud800${'s'.repeat(20)}`, null, 1234567890123456]) {
    assert.ok(!isSharedSecret(wrong), JSON.stringify(wrong));
  }
});

test('text that some database cannot store is not storable', () => {
  assert.ok(isStorable('') && isStorable('Zoë 🥨'));
  for (const wrong of ['a\0b', '\ud83e', '\udd68 \ud83e']) assert.ok(!isStorable(wrong), JSON.stringify(wrong));
});

test('text of nothing but invisible characters is blank, and names nothing', () => {
  const spaces = [' ', '\n', '\u00a0', '\u2003', '\u3000', '\u2028', '\u2800'];
  const shapeless = ['\u200b', '\u200d', '\u202e', '\u2066', '\ufeff', '\u00ad', '\u3164', '\ufe0f', '\u{e0041}'];
  for (const text of ['', ...spaces, ...shapeless, [...shapeless, ...spaces].join('')]) {
    assert.ok(isBlank(text) && !isName(text, 100), JSON.stringify(text));
  }
  for (const text of ['.', '\u200bé', '\u202e1', '👩‍👩‍👧', '‏שלום', '\u0301']) {
    assert.ok(!isBlank(text) && isName(text, 100), JSON.stringify(text));
  }
});

test('a JSON value becomes storable at any depth, with the names of its properties', () => {
  const value = { 'a\0': ['b\ud83e', { c: '\udd68 🥨', d: 1, e: null, f: true }], g: undefined };
  const storable = { 'a\ufffd': ['b\ufffd', { c: '\ufffd 🥨', d: 1, e: null, f: true }], g: undefined };
  assert.deepEqual(toStorableJson(value), storable);
});

test('an instant is written with its milliseconds, even if they are zero', () => {
  assert.equal(toInstantText(0), '1970-01-01T00:00:00.000Z');
  assert.equal(toInstantText(Date.UTC(2026, 10, 21, 1, 2, 3, 45)), '2026-11-21T01:02:03.045Z');
});
