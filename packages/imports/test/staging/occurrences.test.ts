import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
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

  test('of a million keys take less than 28 bytes for each', () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    // The tables of earlier tests must be gone before they are counted.
    const bytesNow = (): number => {
      collect();
      collect();
      return process.memoryUsage().arrayBuffers;
    };
    const before = bytesNow();
    const occurrences = new Occurrences();
    for (let at = 0; at < 1_000_000; at += 1) occurrences.count(`${at}`);
    const taken = bytesNow() - before;
    assert.ok(taken > 0 && taken < 28_000_000, `${taken} bytes`);
    assert.equal(occurrences.count('0'), 2);
  });
});
