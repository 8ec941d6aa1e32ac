import assert from 'node:assert/strict';
import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createVault, KeyRing, type SigningKey } from '../src/index.ts';

const material = fc.uint8Array({ minLength: 32, maxLength: 32 });

function vaultOf(...materials: readonly Uint8Array[]) {
  return createVault(new KeyRing(materials.map((bytes, at) => ({ id: `k${materials.length - at}`, material: bytes }))));
}

function publicPartOf({ kty, crv, x, y }: SigningKey) {
  return createPublicKey({ key: { kty, crv, x, y }, format: 'jwk' });
}

describe('signing keys', () => {
  it('sign so that their public part verifies', () => {
    fc.assert(
      fc.property(material, fc.uint8Array(), (bytes, message) => {
        const [key] = vaultOf(bytes).signing_keys;
        const private_key = createPrivateKey({ key: { ...key! }, format: 'jwk' });
        const signature = sign('sha256', message, { key: private_key, dsaEncoding: 'ieee-p1363' });
        const { kid, alg, use } = key!;
        assert.deepEqual([alg, use, Buffer.from(kid, 'base64url').length], ['ES256', 'sig', 32]);
        assert.ok(verify('sha256', message, { key: publicPartOf(key!), dsaEncoding: 'ieee-p1363' }, signature));
      }),
      { numRuns: 20 },
    );
  });

  it('are the same in every process with the ring, and of each key of it', () => {
    const [old, recent] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
    const before = vaultOf(old);
    const after = vaultOf(recent, old);
    assert.deepEqual(vaultOf(recent, old).signing_keys, after.signing_keys);
    assert.deepEqual(after.signing_keys.slice(1), before.signing_keys);
    assert.deepEqual(after.cookie_keys.slice(1), before.cookie_keys);
    assert.notEqual(after.signing_keys[0]!.d, after.signing_keys[1]!.d);
    assert.notEqual(after.cookie_keys[0], after.cookie_keys[1]);
    assert.equal(new Set([...after.signing_keys.map(({ kid }) => kid), ...after.cookie_keys]).size, 4);
  });

  it('have the thumbprint of RFC 7638 as their id', () => {
    const [key] = vaultOf(Buffer.alloc(32, 7)).signing_keys;
    assert.match(key!.kid, /^[\w-]{43}$/);
    assert.equal(createPublicKey({ key: { ...key! }, format: 'jwk' }).export({ format: 'jwk' }).x, key!.x);
  });
});
