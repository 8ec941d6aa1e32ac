import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toHex } from '@tallystick/kernel';
import fc from 'fast-check';
import { ByNumberIndex, toNumberSet } from '../../src/numbers/by-number-index.ts';

/** Indexes of a few buckets: the first bytes are equal, and the last bits of the fourth do not count. */
const index = fc.uint8Array({ min: 0, max: 7, minLength: 6, maxLength: 6 }).map((bytes) => {
  bytes.set([7, 7, 7], 0);
  bytes[5] = 0;
  return bytes;
});

test('a map from number indexes is a map from their text', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(index, fc.nat())), (pairs) => {
      const map = new ByNumberIndex<number>();
      const model = new Map<string, number>();
      for (const [bytes, value] of pairs) {
        assert.equal(map.get(bytes), model.get(toHex(bytes)));
        if (model.has(toHex(bytes))) continue;
        map.add(bytes, value);
        model.set(toHex(bytes), value);
      }
      for (const [bytes] of pairs) assert.equal(map.get(Uint8Array.from(bytes)), model.get(toHex(bytes)));
    }),
  );
});

test('a set of number indexes has each index, also when one occurs twice', () => {
  fc.assert(
    fc.property(fc.array(index), index, (indexes, other) => {
      const set = toNumberSet([...indexes, ...indexes]);
      for (const one of indexes) assert.equal(set.get(one), true);
      const is_member = indexes.some((one) => toHex(one) === toHex(other));
      assert.equal(set.get(other), is_member ? true : undefined);
    }),
  );
});
