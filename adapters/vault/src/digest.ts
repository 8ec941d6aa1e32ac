import { createHash, createHmac, hash } from 'node:crypto';
import type { AuditMac, HmacSha1, HmacSha256, Sha256, Sha256Stream } from '@tallystick/kernel';
import { deriveSubkey, type KeyRing } from './key-ring.ts';

export const sha256: Sha256 = (bytes) => hash('sha256', bytes, 'buffer');

/** SHA-256 of bytes that come in pieces, in hexadecimal. */
export function createSha256(): Sha256Stream {
  const hashing = createHash('sha256');
  return {
    update: (bytes) => void hashing.update(bytes),
    digest: () => hashing.digest('hex'),
  };
}

/** HMAC-SHA-256 by the machine's cryptographic library. */
export const hmacSha256: HmacSha256 = (secret, message) => createHmac('sha256', secret).update(message).digest();

/** HMAC-SHA-1 of the same library. */
export const hmacSha1: HmacSha1 = (secret, message) => createHmac('sha1', secret).update(message).digest();

/**
 * The hash of the audit chain, with a subkey of the index key: a rotation changes neither hashes
 * nor links, so it cannot be used to replace the log.
 */
export function createAuditMac(ring: KeyRing): AuditMac {
  const key = deriveSubkey(ring.index_material, 'audit-chain');
  return (text) => createHmac('sha256', key).update(text).digest('hex');
}
