import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Pan } from '@tallystick/cards';
import { propertyParameters } from '@tallystick/test-support';
import { createVault, KeyRing, parseKeyRing } from '@tallystick/vault';
import fc from 'fast-check';
import { ringKeys } from './arbitraries.ts';

const ring = parseKeyRing(`k1:${Buffer.alloc(32, 'a').toString('base64')}`);

test('a rotation keeps the fingerprint of the index key', () => {
  fc.assert(
    fc.property(ringKeys, fc.integer({ min: 1, max: 3 }), (keys, rotations) => {
      let rotated = new KeyRing(keys);
      for (let turn = 0; turn < rotations; turn += 1) rotated = rotated.withNewKey();
      const newest_only = new KeyRing([rotated.keys[0]!, { id: 'index', material: rotated.index_material }]);
      const { index_fingerprint } = createVault(new KeyRing(keys));
      for (const later of [rotated, newest_only]) assert.equal(createVault(later).index_fingerprint, index_fingerprint);
    }),
    propertyParameters(),
  );
});

test('another index key results in another index, other codes and another fingerprint', () => {
  const other = createVault(parseKeyRing(`k1:${Buffer.alloc(32, 'b').toString('base64')}`));
  const own = createVault(ring);
  const numbers = Array.from({ length: 20 }, (_, at) => new Pan(`54112345678900${String(at).padStart(2, '0')}`));
  assert.match(own.index_fingerprint, /^[0-9a-f]{16}$/);
  assert.notEqual(own.index_fingerprint, other.index_fingerprint);
  assert.ok(numbers.every((pan) => Buffer.compare(own.card_vault.index(pan), other.card_vault.index(pan)) !== 0));
  assert.ok(numbers.some((pan) => own.card_vault.cvc(pan, '2028-01') !== other.card_vault.cvc(pan, '2028-01')));
});

test('codes and index of a known ring do not change between releases', () => {
  const { card_vault, index_fingerprint } = createVault(ring);
  const pan = new Pan('5411234567890000');
  assert.deepEqual(
    {
      cvc: card_vault.cvc(pan, '2028-01'),
      index: Buffer.from(card_vault.index(pan)).toString('hex'),
      index_fingerprint,
    },
    {
      cvc: '778',
      index: 'e6357d9e1746da9a2b5deabd551574e81d49e072a36f5dd2e49f292e8b8ff41e',
      index_fingerprint: '4e027dd7d5143b94',
    },
  );
});

test('a number sealed by an earlier release still opens', () => {
  const sealed = Buffer.from(
    '01026b316200a4afe6fc9e0a895bbb6369356370e0b9dd7b10e526d819e4d0b6743552980d270036876524bda70da819',
    'hex',
  );
  assert.equal(createVault(ring).card_vault.open(sealed).reveal(), '5411234567890000');
});

test('a host may replace the derivation of codes', () => {
  const { card_vault } = createVault(ring, { deriveCvc: (_, expiry) => `sentinel ${expiry}` });
  const pan = new Pan('5411234567890000');
  assert.equal(card_vault.cvc(pan, '2028-01'), 'sentinel 2028-01');
  assert.equal(card_vault.cvcMatches(pan, '2028-01', 'sentinel 2028-01'), true);
  assert.equal(card_vault.cvcMatches(pan, '2028-01', '123'), false);
});
