import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { type CardVault, Pan } from '@tallystick/cards';
import { assert, Fault, type HmacSha256, type Sealer, type Sha256, type Sha256Stream } from '@tallystick/kernel';

/** Card numbers and secrets sealed with keys that everybody knows. */
export interface MemoryVault {
  readonly card_vault: CardVault;
  readonly sealer: Sealer;
  readonly sha256: Sha256;
  readonly createSha256: () => Sha256Stream;
  readonly hmacSha256: HmacSha256;
  /** The key that seals. */
  readonly newest_key_id: string;
}

const tag_length = 16;

const sha256: Sha256 = (bytes) => createHash('sha256').update(bytes).digest();
const createSha256 = (): Sha256Stream => {
  const hashing = createHash('sha256');
  return { update: (bytes) => void hashing.update(bytes), digest: () => hashing.digest('hex') };
};
const hmacSha256: HmacSha256 = (secret, message) => createHmac('sha256', secret).update(message).digest();

/**
 * A vault for tests only. Its keys are made from their ids, so anybody can open what it seals; and
 * it is deterministic: the same value is sealed to the same bytes each time, and a number has the
 * same index and the same code in every vault.
 *
 * @param key_ids The ring, newest first: the first key seals, the others open what they sealed.
 */
export function memoryVault(key_ids: readonly string[] = ['k1']): MemoryVault {
  const [newest_key_id] = key_ids;
  assert(newest_key_id !== undefined, 'a ring has at least one key');
  assert(
    key_ids.every((id) => /^[a-z0-9]{1,32}$/.test(id)),
    `not ids of keys: ${key_ids.join(', ')}`,
  );

  const boxFor = (kind: string): Sealer => ({
    seal: (purpose, clear) => sealed(newest_key_id, `${kind} ${purpose}`, clear),
    open(purpose, value) {
      const key_id = keyIdOf(value);
      if (key_id === null || !key_ids.includes(key_id)) throw cannotOpen('its key is not in the ring');
      return opened(key_id, `${kind} ${purpose}`, value);
    },
    isCurrent: (value) => keyIdOf(value) === newest_key_id,
  });
  const numbers = boxFor('number');
  const index = (pan: Pan) => keyed('index', pan.reveal());
  const cvc = (pan: Pan, expiry: string) =>
    String(Buffer.from(keyed('cvc', `${pan.reveal()} ${expiry}`)).readUIntBE(0, 6) % 1_000).padStart(3, '0');

  return {
    card_vault: {
      seal: (pan) => ({
        number_sealed: numbers.seal('', Buffer.from(pan.reveal())),
        number_key_id: newest_key_id,
        number_index: index(pan),
      }),
      open: (number_sealed) => new Pan(Buffer.from(numbers.open('', number_sealed)).toString()),
      index,
      cvc,
      cvcMatches: (pan, expiry, guess) => cvc(pan, expiry) === guess,
    },
    sealer: boxFor('secret'),
    sha256,
    createSha256,
    hmacSha256,
    newest_key_id,
  };
}

/**
 * `id of the key | tag (16) | ciphertext`. The tag is made from the clear bytes, and the stream of
 * the cipher from the tag.
 */
function sealed(key_id: string, purpose: string, clear: Uint8Array): Uint8Array {
  const tag = tagOf(key_id, purpose, clear);
  return Buffer.concat([Buffer.from(`${key_id}|`), tag, encrypted(key_id, tag, clear)]);
}

function opened(key_id: string, purpose: string, value: Uint8Array): Uint8Array {
  const tag_at = key_id.length + 1;
  const tag = value.subarray(tag_at, tag_at + tag_length);
  const clear = encrypted(key_id, tag, value.subarray(tag_at + tag_length));
  if (tag.length !== tag_length || !timingSafeEqual(tag, tagOf(key_id, purpose, clear))) {
    throw cannotOpen('it was altered, or sealed for another purpose');
  }
  return clear;
}

function tagOf(key_id: string, purpose: string, clear: Uint8Array): Uint8Array {
  return keyed(key_id, JSON.stringify([purpose, Buffer.from(clear).toString('hex')])).subarray(0, tag_length);
}

/** Adds the stream of the tag to the bytes: a second call restores the bytes. */
function encrypted(key_id: string, tag: Uint8Array, bytes: Uint8Array): Uint8Array {
  let stream = new Uint8Array();
  return bytes.map((byte, at) => {
    if (at % 32 === 0) stream = Uint8Array.from(keyed(key_id, `${Buffer.from(tag).toString('hex')} ${at / 32}`));
    return byte ^ stream[at % 32]!;
  });
}

function keyed(key_id: string, message: string): Uint8Array {
  return hmacSha256(Buffer.from(`memory vault ${key_id}`), Buffer.from(message));
}

function keyIdOf(value: Uint8Array): string | null {
  return /^([a-z0-9]{1,32})\|/.exec(Buffer.from(value).toString('latin1'))?.[1] ?? null;
}

function cannotOpen(reason: string): Fault {
  return new Fault(`a sealed value cannot be opened: ${reason}`, { retryable: false });
}
