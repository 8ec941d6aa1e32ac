import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { inspect } from 'node:util';
import { invalid, type Random } from '@tallystick/kernel';
import { machine_random } from './machine-random.ts';

/** The setting that contains a ring, as refusals name it. */
const setting = 'TALLYSTICK_KEYS';

/**
 * The entry from which blind index and card verification codes are derived. It encrypts nothing and
 * is never rotated.
 */
const index_key_id = 'index';

const material_length = 32;

/** One key of a ring: 32 bytes under an id of 1 to 32 letters, digits, `-` or `_`. */
export interface RingKey {
  readonly id: string;
  readonly material: Uint8Array;
}

/**
 * The keys of an installation, newest first. The newest encrypts, and the others still decrypt what
 * they encrypted.
 *
 * The ring also has an index key, because blind index and card verification codes must stay the
 * same during the life of a card, even when other keys rotate. It is the entry with the id `index`
 * or, in a ring without one, the oldest key. Prints only its ids.
 */
export class KeyRing {
  readonly #keys: readonly RingKey[];
  readonly #index: RingKey | null;

  /**
   * Refuses (`validation_failed` on `TALLYSTICK_KEYS`) keys that do not form a valid ring. Never
   * repeats key material.
   */
  constructor(keys: readonly RingKey[]) {
    const encrypting = keys.filter((key) => key.id !== index_key_id);
    keys.forEach((key, position) => {
      const which = `key ${position + 1}`;
      if (!/^[A-Za-z0-9_-]{1,32}$/.test(key.id)) refuse(`${which} needs an id of 1 to 32 letters, digits, - or _`);
      if (key.material.length !== material_length) {
        refuse(`${which} (${key.id}) has ${key.material.length} bytes; a key is base64 of ${material_length} bytes`);
      }
      if (keys.findIndex((other) => other.id === key.id) !== position) refuse(`has two keys with the id ${key.id}`);
    });
    for (const [position, key] of encrypting.entries()) {
      const twin = encrypting.find((other, at) => at < position && Buffer.compare(other.material, key.material) === 0);
      if (twin) refuse(`has one key under two ids, ${twin.id} and ${key.id}; only ${index_key_id} may repeat another`);
    }
    if (encrypting.length === 0) refuse(`needs at least one key besides ${index_key_id}, newest first`);
    this.#keys = encrypting;
    this.#index = keys.find((key) => key.id === index_key_id) ?? null;
  }

  /** The keys that encrypt or formerly encrypted, newest first. */
  get keys(): readonly RingKey[] {
    return this.#keys;
  }

  get newest_key_id(): string {
    return this.#keys[0]!.id;
  }

  /** The key material from which blind index and codes are derived. */
  get index_material(): Uint8Array {
    return (this.#index ?? this.#keys.at(-1)!).material;
  }

  /**
   * Whether the index key is a separate entry, so that every other key can be removed eventually.
   */
  get has_index_key(): boolean {
    return this.#index !== null;
  }

  /**
   * This ring with a new newest key. The index key becomes a separate entry if it was none, so that
   * removing an old key later cannot change the index.
   */
  withNewKey(random: Random = machine_random): KeyRing {
    const numbers = this.#keys.map((key) => Number(/^k(\d{1,9})$/.exec(key.id)?.[1] ?? 0));
    return new KeyRing([
      { id: `k${Math.max(...numbers) + 1}`, material: random.bytes(material_length) },
      ...this.#keys,
      { id: index_key_id, material: this.index_material },
    ]);
  }

  /** The ring as the text of the setting, including its secrets. */
  reveal(): string {
    return [...this.#keys, ...(this.#index ? [this.#index] : [])]
      .map((key) => `${key.id}:${Buffer.from(key.material).toString('base64')}`)
      .join(',');
  }

  toString(): string {
    return `KeyRing(${[...this.#keys, ...(this.#index ? [this.#index] : [])].map((key) => key.id).join(', ')})`;
  }

  toJSON(): string {
    return this.toString();
  }

  [inspect.custom](): string {
    return this.toString();
  }
}

/**
 * Reads a ring from text: `id:base64` entries separated by commas, newest first; or one bare base64
 * value, whose id is `k1`. Space around entries is ignored. Refuses (`validation_failed` on
 * `TALLYSTICK_KEYS`) anything else, without repeating it.
 */
export function parseKeyRing(text: string): KeyRing {
  const entries = text.split(',').map((entry) => entry.trim());
  if (entries.length === 1 && entries[0] === '') refuse('is empty');
  return new KeyRing(
    entries.map((entry, position) => {
      const colon = entry.indexOf(':');
      if (colon < 0 && entries.length > 1) refuse(`key ${position + 1} has no id; write it as id:base64`);
      return {
        id: colon < 0 ? 'k1' : entry.slice(0, colon),
        material: parseMaterial(entry.slice(colon + 1), position),
      };
    }),
  );
}

/** A new ring as text: one key, `k1`, and a separate index key. */
export function createKeyRingText(random: Random = machine_random): string {
  return new KeyRing([
    { id: 'k1', material: random.bytes(material_length) },
    { id: index_key_id, material: random.bytes(material_length) },
  ]).reveal();
}

/**
 * Strict: there is one valid text per key, so a typing error is reported and not read as another
 * key.
 */
function parseMaterial(text: string, position: number): Uint8Array {
  const material = Buffer.from(text, 'base64');
  if (material.toString('base64') !== text) refuse(`key ${position + 1} is not base64 of ${material_length} bytes`);
  return material;
}

function refuse(message: string): never {
  throw invalid({ path: setting, message });
}

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
