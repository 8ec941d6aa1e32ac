import { createCipheriv, createDecipheriv, type KeyObject } from 'node:crypto';
import { Fault, type Random } from '@tallystick/kernel';
import { deriveSubkey, type KeyRing, type SubkeyPurpose } from './key-ring.ts';

/**
 * The layout of a sealed value:
 *
 *     version (1) | length of the key id (1) | key id (ASCII) | nonce (12) | ciphertext | tag (16)
 *
 * The cipher is AES-256-GCM. The bytes before the nonce, and the purpose, are authenticated.
 */
const version = 1;
const nonce_length = 12;
const tag_length = 16;

/** Seals and opens values with the subkeys of one purpose, of every key in a ring. */
export interface SealedBox {
  seal(purpose: string, clear: Uint8Array): Uint8Array;
  /**
   * Throws a `Fault` if it is no sealed value, was altered, was sealed for another purpose, or its
   * key is not in the ring.
   */
  open(purpose: string, sealed: Uint8Array): Uint8Array;
  /** Whether the newest key sealed it. */
  isCurrent(sealed: Uint8Array): boolean;
}

/** A box for the ring. Nonces are random: rotate the ring before one key has sealed 2^32 values. */
export function createSealedBox(ring: KeyRing, subkey_purpose: SubkeyPurpose, random: Random): SealedBox {
  const keys = new Map(
    ring.keys.map(({ id, material }) => [id, { key: deriveSubkey(material, subkey_purpose), header: headerOf(id) }]),
  );
  const newest = keys.get(ring.newest_key_id)!;

  return {
    seal(purpose, clear) {
      const nonce = random.bytes(nonce_length);
      const cipher = createCipheriv('aes-256-gcm', newest.key, nonce, { authTagLength: tag_length });
      cipher.setAAD(associatedData(newest.header, purpose));
      return Buffer.concat([newest.header, nonce, cipher.update(clear), cipher.final(), cipher.getAuthTag()]);
    },

    open(purpose, sealed) {
      const key_id = keyIdOf(sealed);
      const found = key_id === null ? undefined : keys.get(key_id);
      if (key_id === null) throw cannotOpen('this version does not know its format');
      if (found === undefined) throw cannotOpen(`its key ${key_id} is not in the ring`);
      return decrypt(found.key, found.header, purpose, sealed);
    },

    isCurrent: (sealed) => keyIdOf(sealed) === ring.newest_key_id,
  };
}

/** The id of the key that sealed the value; null if it is no sealed value. */
function keyIdOf(sealed: Uint8Array): string | null {
  const id_length = sealed[1] ?? 0;
  const header_length = 2 + id_length;
  if (sealed[0] !== version || sealed.length < header_length + nonce_length + tag_length) return null;
  const id = Buffer.from(sealed.buffer, sealed.byteOffset + 2, id_length).toString('latin1');
  return /^[A-Za-z0-9_-]{1,32}$/.test(id) ? id : null;
}

function decrypt(key: KeyObject, header: Buffer, purpose: string, sealed: Uint8Array): Uint8Array {
  const body_at = header.length + nonce_length;
  const tag_at = sealed.length - tag_length;
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(header.length, body_at), {
    authTagLength: tag_length,
  });
  decipher.setAAD(associatedData(header, purpose));
  decipher.setAuthTag(sealed.subarray(tag_at));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(body_at, tag_at)), decipher.final()]);
  } catch (cause) {
    throw cannotOpen(`it was altered, or not sealed for ${purpose}`, cause);
  }
}

function headerOf(key_id: string): Buffer {
  return Buffer.concat([Buffer.from([version, key_id.length]), Buffer.from(key_id, 'latin1')]);
}

function associatedData(header: Buffer, purpose: string): Buffer {
  return Buffer.concat([header, Buffer.from(purpose, 'utf8')]);
}

function cannotOpen(reason: string, cause?: unknown): Fault {
  return new Fault(`a sealed value cannot be opened: ${reason}`, { retryable: false, cause });
}
