import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { Refusal } from '@tallystick/kernel';
import { propertyParameters } from '@tallystick/test-support';
import { createKeyRingText, KeyRing, parseKeyRing } from '@tallystick/vault';
import fc from 'fast-check';
import { ringKeys } from './arbitraries.ts';

const a = Buffer.alloc(32, 'a').toString('base64');
const b = Buffer.alloc(32, 'b').toString('base64');

function refusalOf(work: () => unknown): Refusal {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof Refusal);
    assert.equal(error.fields[0]?.path, 'TALLYSTICK_KEYS');
    return error;
  }
  return assert.fail('nothing was refused');
}

test('a ring written and read is the same ring', () => {
  fc.assert(
    fc.property(ringKeys, (keys) => {
      const ring = new KeyRing(keys);
      const read = parseKeyRing(ring.reveal());
      assert.deepEqual(
        read.keys.map((key) => [key.id, [...key.material]]),
        ring.keys.map((key) => [key.id, [...key.material]]),
      );
      assert.deepEqual([...read.index_material], [...ring.index_material]);
      assert.equal(read.has_index_key, ring.has_index_key);
    }),
    propertyParameters(),
  );
});

test('one bare value is a ring of the key k1', () => {
  const ring = parseKeyRing(` ${a}\n`);
  assert.deepEqual(
    ring.keys.map((key) => key.id),
    ['k1'],
  );
  assert.equal(ring.has_index_key, false);
});

test('the first entry is the newest; the index key is excluded at any position', () => {
  const c = Buffer.alloc(32, 'c').toString('base64');
  for (const text of [`index:${c},k2:${b},k1:${a}`, `k2:${b}, k1:${a} ,index:${c}`]) {
    const ring = parseKeyRing(text);
    assert.equal(ring.newest_key_id, 'k2');
    assert.equal(String(ring), 'KeyRing(k2, k1, index)');
    assert.equal(Buffer.from(ring.index_material).toString('base64'), c);
  }
});

test('without an index entry the oldest key is the index key', () => {
  assert.equal(Buffer.from(parseKeyRing(`k2:${b},k1:${a}`).index_material).toString('base64'), a);
});

test('a new ring has a key and an index key, both new each time', () => {
  const texts = [createKeyRingText(), createKeyRingText()];
  const values = texts.flatMap((text) => {
    const ring = parseKeyRing(text);
    assert.equal(String(ring), 'KeyRing(k1, index)');
    return [ring.keys[0]!.material, ring.index_material].map((bytes) => Buffer.from(bytes).toString('hex'));
  });
  assert.equal(new Set(values).size, 4);
});

test('a new key is put in front, and the other keys and the index key do not change', () => {
  fc.assert(
    fc.property(ringKeys, (keys) => {
      const ring = new KeyRing(keys);
      const next = ring.withNewKey();
      assert.deepEqual(next.keys.slice(1), ring.keys);
      assert.ok(!ring.keys.some((key) => key.id === next.newest_key_id));
      assert.equal(next.has_index_key, true);
      assert.deepEqual([...next.index_material], [...ring.index_material]);
    }),
    propertyParameters(),
  );
  assert.equal(String(parseKeyRing(`k9:${b},mine:${a}`).withNewKey()), 'KeyRing(k10, k9, mine, index)');
});

test('refuses text that is no ring, without repeating its keys', () => {
  const short = Buffer.alloc(31, 'a').toString('base64');
  const refused: readonly (readonly [string, RegExp])[] = [
    ['', /is empty/],
    [`k1:${a},${b}`, /key 2 has no id/],
    [`${a},${b}`, /key 1 has no id/],
    [`k1:${a},`, /key 2 has no id/],
    [`k1:${short}`, /key 1 \(k1\) has 31 bytes/],
    [`k1:${a}${a}`, /key 1 is not base64/],
    [`k1:${a.slice(0, -1)}`, /key 1 is not base64/],
    [`k1:${a.replace('Y', '-')}`, /key 1 is not base64/],
    [':'.concat(a), /key 1 needs an id/],
    [`k 1:${a}`, /key 1 needs an id/],
    [`${'k'.repeat(33)}:${a}`, /key 1 needs an id/],
    [`k1:${a},k1:${b}`, /two keys with the id k1/],
    [`index:${a},index:${b},k1:${b}`, /two keys with the id index/],
    [`k2:${a},k1:${a}`, /one key under two ids, k2 and k1/],
    [`index:${a}`, /at least one key besides index/],
  ];
  for (const [text, message] of refused) {
    const refusal = refusalOf(() => parseKeyRing(text));
    assert.match(refusal.message, message);
    assert.ok(!inspect(refusal).includes(a.slice(0, 12)), `${message} repeats the key`);
  }
});

test('the index key may repeat an older key, which can then be removed', () => {
  const ring = parseKeyRing(`k2:${b},k1:${a},index:${a}`);
  assert.deepEqual([...parseKeyRing(`k2:${b},index:${a}`).index_material], [...ring.index_material]);
});

test('a printed ring shows only its ids', () => {
  const ring = parseKeyRing(`k1:${a}`);
  for (const shown of [String(ring), JSON.stringify(ring), inspect(ring), inspect({ ring }, { showHidden: true })]) {
    assert.match(shown, /KeyRing\(k1\)/);
    assert.ok(!shown.includes(a) && !shown.includes('61 61'));
  }
});
