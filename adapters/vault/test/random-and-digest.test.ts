import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Pan } from '@tallystick/cards';
import { toHex, Violation } from '@tallystick/kernel';
import { propertyParameters, repeatableRandom } from '@tallystick/test-support';
import { createKeyRingText, createVault, parseKeyRing } from '@tallystick/vault';
import fc from 'fast-check';

const { random, sha256, hmacSha256 } = createVault(parseKeyRing(Buffer.alloc(32, 'a').toString('base64')));

test('random integers are below their bound, up to 2^47', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 47 }), (bound) => {
      const drawn = random.below(bound);
      assert.ok(Number.isInteger(drawn) && drawn >= 0 && drawn < bound);
    }),
    propertyParameters(),
  );
  assert.equal(random.below(1), 0);
  assert.equal(new Set(Array.from({ length: 1000 }, () => random.below(10))).size, 10);
});

test('a bound outside 1 to 2^47 is a violation', () => {
  for (const bound of [0, -1, 1.5, 2 ** 47 + 1, Number.NaN]) assert.throws(() => random.below(bound), Violation);
});

test('returns the requested number of random bytes, different each time', () => {
  assert.equal(random.bytes(32).length, 32);
  assert.notDeepEqual([...random.bytes(32)], [...random.bytes(32)]);
});

test('no drawn byte is returned again', () => {
  // Some of them are drawn together.
  const drawn = Array.from({ length: 3_000 }, (_, number) => random.bytes(16 + (number % 64)));
  assert.equal(new Set(drawn.map((bytes) => toHex(bytes.subarray(0, 16)))).size, drawn.length);
  const kept = drawn.map(toHex);
  for (const bytes of drawn) bytes.fill(0);
  assert.ok(Array.from({ length: 3_000 }, () => toHex(random.bytes(16))).every((hex) => !kept.join().includes(hex)));
});

test('SHA-256 matches the example of FIPS 180-2', () => {
  assert.equal(
    Buffer.from(sha256(Buffer.from('abc'))).toString('hex'),
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  );
});

test('HMAC-SHA-256 matches test case 2 of RFC 4231', () => {
  assert.equal(
    Buffer.from(hmacSha256(Buffer.from('Jefe'), Buffer.from('what do ya want for nothing?'))).toString('hex'),
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  );
});

test('the hash of the audit chain has a key of its own, which a rotation does not change', () => {
  const ring = parseKeyRing(Buffer.alloc(32, 'a').toString('base64'));
  const { audit_mac } = createVault(ring);
  assert.match(audit_mac('text'), /^[0-9a-f]{64}$/);
  assert.equal(createVault(ring.withNewKey()).audit_mac('text'), audit_mac('text'));
  const other = createVault(parseKeyRing(Buffer.alloc(32, 'b').toString('base64')));
  assert.notEqual(other.audit_mac('text'), audit_mac('text'));
  const with_index_key = hmacSha256(ring.index_material, Buffer.from('text'));
  assert.notEqual(Buffer.from(with_index_key).toString('hex'), audit_mac('text'));
});

test('a vault with a source of randomness takes nothing else: the same source seals the same bytes', () => {
  const ring = parseKeyRing(createKeyRingText(repeatableRandom(1)));
  const sealed = () => {
    const rotated = ring.withNewKey(repeatableRandom(2));
    const { card_vault, sealer } = createVault(rotated, { random: repeatableRandom(3) });
    const { number_sealed } = card_vault.seal(new Pan('5411234567890000'));
    return [rotated.reveal(), toHex(number_sealed), toHex(sealer.seal('secret', Buffer.from('clear')))];
  };
  assert.deepEqual(sealed(), sealed());
});
