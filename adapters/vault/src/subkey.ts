import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';

/**
 * The use of a subkey. Each purpose has a separate key, so that the use of one reveals nothing
 * about another.
 */
export type SubkeyPurpose =
  | 'card-number'
  | 'sealing'
  | 'blind-index'
  | 'cvc'
  | 'fingerprint'
  | 'audit-chain'
  | 'oauth-signing'
  | 'oauth-cookies';

/**
 * The 256-bit subkey of a ring key for one purpose: HKDF-SHA-256, no salt (the material is
 * uniform), info `tallystick/1/<purpose>`. Derived once, at start: a call takes about as long as a
 * whole encryption.
 */
export function deriveSubkey(material: Uint8Array, purpose: SubkeyPurpose): KeyObject {
  return createSecretKey(deriveBytes(material, purpose, 32));
}

/** Derives key bytes of another length by the same HKDF: info `tallystick/1/<purpose>`, no salt. */
export function deriveBytes(material: Uint8Array, purpose: SubkeyPurpose, length: number): Buffer {
  return Buffer.from(hkdfSync('sha256', material, new Uint8Array(), `tallystick/1/${purpose}`, length));
}
