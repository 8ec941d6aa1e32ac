import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { Occurrences } from '../../src/staging/occurrences.ts';

describe('occurrences', () => {
  test('are counted as a map of whole keys counts them', () => {
    const keys = fc.array(fc.oneof(fc.constantFrom('', 'a', 'b', 'ab', 'ba', '\0', '\0\0'), fc.string()));
    fc.assert(
      fc.property(keys, (some) => {
        const occurrences = new Occurrences();
        const counted = new Map<string, number>();
        for (const key of some) {
          counted.set(key, (counted.get(key) ?? 0) + 1);
          assert.equal(occurrences.count(key), counted.get(key));
        }
      }),
      propertyParameters(),
    );
  });

  test('no two of a million keys that differ in a few characters are taken for each other', () => {
    const occurrences = new Occurrences();
    const keyOf = (at: number) => `DEBIT|${Math.floor(at / 1000)}|USD|5541${at % 1000}|2026-01-02`;
    for (let at = 0; at < 1_000_000; at += 1) assert.equal(occurrences.count(keyOf(at)), 1);
    for (const at of [0, 1, 500_000, 999_999]) assert.equal(occurrences.count(keyOf(at)), 2);
  });

  test('of a million keys take less than 40 bytes for each, the table before the last growth included', () => {
    const before = process.memoryUsage().arrayBuffers;
    const occurrences = new Occurrences();
    for (let at = 0; at < 1_000_000; at += 1) occurrences.count(`${at}`);
    assert.ok(process.memoryUsage().arrayBuffers - before < 40_000_000);
    assert.equal(occurrences.count('0'), 2);
  });
});
