import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Pan } from '@tallystick/cards';
import { Fault } from '@tallystick/kernel';
import { propertyParameters } from '@tallystick/test-support';
import { createVault, KeyRing, parseKeyRing } from '@tallystick/vault';
import fc from 'fast-check';
import { expiry, pan, ringKeys } from './arbitraries.ts';

const ring = parseKeyRing(`k1:${Buffer.alloc(32, 'a').toString('base64')}`);

test('opens a sealed number to the same number, and names the key that sealed it', () => {
  fc.assert(
    fc.property(ringKeys, pan, (keys, pan) => {
      const { card_vault, newest_key_id } = createVault(new KeyRing(keys));
      const sealed = card_vault.seal(pan);
      assert.equal(card_vault.open(sealed.number_sealed).reveal(), pan.reveal());
      assert.equal(sealed.number_key_id, newest_key_id);
      assert.deepEqual([...sealed.number_index], [...card_vault.index(pan)]);
      assert.ok(!Buffer.from(sealed.number_sealed).includes(pan.reveal()));
    }),
    propertyParameters(),
  );
});

test('rotation changes neither the blind index nor a code, and every number stays readable', () => {
  fc.assert(
    fc.property(ringKeys, pan, expiry, fc.integer({ min: 1, max: 3 }), (keys, pan, expiry, rotations) => {
      const before = createVault(new KeyRing(keys));
      let ring = new KeyRing(keys);
      for (let turn = 0; turn < rotations; turn += 1) ring = ring.withNewKey();
      const after = createVault(ring);
      const sealed = before.card_vault.seal(pan);
      assert.equal(after.card_vault.open(sealed.number_sealed).reveal(), pan.reveal());

      const only_newest = createVault(new KeyRing([ring.keys[0]!, { id: 'index', material: ring.index_material }]));
      const resealed = after.card_vault.seal(after.card_vault.open(sealed.number_sealed));
      assert.equal(only_newest.card_vault.open(resealed.number_sealed).reveal(), pan.reveal());
      for (const { card_vault, index_fingerprint } of [after, only_newest]) {
        assert.deepEqual([...card_vault.index(pan)], [...sealed.number_index]);
        assert.equal(card_vault.cvc(pan, expiry), before.card_vault.cvc(pan, expiry));
        assert.equal(index_fingerprint, before.index_fingerprint);
      }
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

test('a secret sealed by the sealer is never accepted as a card number', () => {
  const { card_vault, sealer } = createVault(ring);
  const sealed = sealer.seal('card_number', Buffer.from('5411234567890000'));
  assert.throws(() => card_vault.open(sealed), Fault);
});

test('different numbers have different indexes', () => {
  fc.assert(
    fc.property(pan, pan, (one, two) => {
      const { card_vault } = createVault(ring);
      const same = Buffer.compare(card_vault.index(one), card_vault.index(two)) === 0;
      assert.equal(same, one.reveal() === two.reveal());
      assert.equal(card_vault.index(one).length, 32);
    }),
    propertyParameters(),
  );
});

test('the code is three digits, is the same each time, and matches only itself', () => {
  fc.assert(
    fc.property(ringKeys, pan, expiry, fc.string({ maxLength: 5 }), (keys, pan, expiry, guess) => {
      const { card_vault } = createVault(new KeyRing(keys));
      const cvc = card_vault.cvc(pan, expiry);
      assert.match(cvc, /^[0-9]{3}$/);
      assert.equal(card_vault.cvc(pan, expiry), cvc);
      assert.equal(card_vault.cvcMatches(pan, expiry, cvc), true);
      assert.equal(card_vault.cvcMatches(pan, expiry, guess), guess === cvc);
      assert.equal(card_vault.cvcMatches(pan, expiry, `${cvc}0`), false);
      assert.equal(card_vault.cvcMatches(pan, expiry, cvc.slice(0, 2)), false);
    }),
    propertyParameters(),
  );
});

test('codes depend on the expiry and are spread over all digits', () => {
  const { card_vault } = createVault(ring);
  const codes = Array.from({ length: 3000 }, (_, at) => {
    const month = `${2024 + Math.floor(at / 12)}-${String((at % 12) + 1).padStart(2, '0')}`;
    return card_vault.cvc(new Pan('5411234567890000'), month);
  });
  // 3,000 draws from 1,000 values leave about 950 distinct ones; fewer than 900 is practically
  // impossible.
  assert.ok(new Set(codes).size > 900);
  for (const position of [0, 1, 2]) {
    assert.equal(new Set(codes.map((code) => code[position])).size, 10);
  }
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
