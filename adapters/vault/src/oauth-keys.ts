import { createECDH, createHash } from 'node:crypto';
import { deriveBytes, type KeyRing } from './key-ring.ts';

/** A private P-256 key as a JWK, for signatures with ES256. Its `kid` is its thumbprint (RFC 7638). */
export type SigningKey = Readonly<Record<'kty' | 'crv' | 'x' | 'y' | 'd' | 'kid' | 'alg' | 'use', string>>;

/** The number of points of P-256. A private key is 1 to this, exclusive. */
const p256_order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/** 128 bits more than the order, so that no private key is noticeably more likely than another. */
const seed_length = 48;

/**
 * The keys that sign id_tokens by ES256, one for each key of the ring, the newest first. They are
 * derived, so every process with the ring has the same, and none is stored.
 */
export function deriveSigningKeys(ring: KeyRing): readonly SigningKey[] {
  return ring.keys.map(({ material }) => signingKeyOf(deriveBytes(material, 'oauth-signing', seed_length)));
}

/** The secrets that sign cookies, one for each key of the ring, the newest first. */
export function deriveCookieKeys(ring: KeyRing): readonly string[] {
  return ring.keys.map(({ material }) => deriveBytes(material, 'oauth-cookies', 32).toString('base64url'));
}

function signingKeyOf(seed: Buffer): SigningKey {
  const scalar = (BigInt(`0x${seed.toString('hex')}`) % (p256_order - 1n)) + 1n;
  const d = Buffer.from(scalar.toString(16).padStart(64, '0'), 'hex');
  const pair = createECDH('prime256v1');
  pair.setPrivateKey(d);
  // An uncompressed point: 4, x, y.
  const point = pair.getPublicKey();
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url')) as [
    string,
    string,
  ];
  const kid = createHash('sha256')
    .update(JSON.stringify({ crv: 'P-256', kty: 'EC', x, y }))
    .digest('base64url');
  return { kty: 'EC', crv: 'P-256', x, y, d: d.toString('base64url'), kid, alg: 'ES256', use: 'sig' };
}
