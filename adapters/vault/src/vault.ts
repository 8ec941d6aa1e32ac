import { createHmac } from 'node:crypto';
import { type CardVault, Pan } from '@tallystick/cards';
import {
  type AuditMac,
  Fault,
  type HmacSha1,
  type HmacSha256,
  type PasswordHasher,
  type Random,
  type Sealer,
  type Sha256,
  type Sha256Stream,
} from '@tallystick/kernel';
import { createCvcDeriver, type DeriveCvc, isSameCvc } from './card-verification-code.ts';
import { createAuditMac, createSha256, hmacSha1, hmacSha256, sha256 } from './digest.ts';
import { deriveSubkey, type KeyRing } from './key-ring.ts';
import { machine_random } from './machine-random.ts';
import { deriveCookieKeys, deriveSigningKeys, type SigningKey } from './oauth-keys.ts';
import { createPasswordHasher } from './password-hash.ts';
import { createSealedBox } from './sealed-box.ts';

/**
 * Encryption of card numbers and secrets with one ring of keys, and the cryptography that other
 * packages declare as ports.
 */
export interface Vault {
  readonly card_vault: CardVault;
  readonly sealer: Sealer;
  readonly random: Random;
  readonly sha256: Sha256;
  readonly createSha256: () => Sha256Stream;
  readonly hmacSha256: HmacSha256;
  readonly hmacSha1: HmacSha1;
  readonly passwords: PasswordHasher;
  /** The hash of the audit chain. Derived from the index key, so a rotation does not change it. */
  readonly audit_mac: AuditMac;
  /** The keys that sign id_tokens, the newest first. Each belongs to a key of the ring. */
  readonly signing_keys: readonly SigningKey[];
  /** The secrets that sign cookies, the newest first. */
  readonly cookie_keys: readonly string[];
  /** The key that encrypts. A rotation leaves values sealed with it unchanged. */
  readonly newest_key_id: string;
  /** Every key that can decrypt, newest first. */
  readonly key_ids: readonly string[];
  /**
   * 16 hex digits that distinguish one index key from another and reveal nothing else. An
   * installation stores them with its data and refuses to start with others: with another index key
   * no stored card would be found, and no code would be right.
   */
  readonly index_fingerprint: string;
}

export interface VaultPorts {
  /**
   * Replaces the derivation of card verification codes. For hosts that have their own, and for
   * tests that search for a sentinel.
   */
  readonly deriveCvc?: DeriveCvc;
  /** Draws nonces too; that of the machine when absent. */
  readonly random?: Random;
}

/** The purpose to which the sealed number of a card is bound. */
const card_number_purpose = 'card_number';

/** A vault for the ring. Derives every subkey now; later calls cost only the ciphers themselves. */
export function createVault(ring: KeyRing, ports: VaultPorts = {}): Vault {
  const { random = machine_random } = ports;
  const numbers = createSealedBox(ring, 'card-number', random);
  const secrets = createSealedBox(ring, 'sealing', random);
  const index_key = deriveSubkey(ring.index_material, 'blind-index');
  const fingerprint_key = deriveSubkey(ring.index_material, 'fingerprint');
  const deriveCvc = ports.deriveCvc ?? createCvcDeriver(ring);

  const index = (pan: Pan): Uint8Array => createHmac('sha256', index_key).update(pan.reveal()).digest();

  return {
    card_vault: {
      seal: (pan) => ({
        number_sealed: numbers.seal(card_number_purpose, Buffer.from(pan.reveal(), 'latin1')),
        number_key_id: ring.newest_key_id,
        number_index: index(pan),
      }),
      open: (number_sealed) => toPan(numbers.open(card_number_purpose, number_sealed)),
      index,
      cvc: deriveCvc,
      cvcMatches: (pan, expiry, cvc) => isSameCvc(deriveCvc(pan, expiry), cvc),
    },
    sealer: secrets,
    random,
    sha256,
    createSha256,
    hmacSha256,
    hmacSha1,
    passwords: createPasswordHasher(random),
    audit_mac: createAuditMac(ring),
    signing_keys: deriveSigningKeys(ring),
    cookie_keys: deriveCookieKeys(ring),
    newest_key_id: ring.newest_key_id,
    key_ids: ring.keys.map((key) => key.id),
    index_fingerprint: createHmac('sha256', fingerprint_key).update('index').digest('hex').slice(0, 16),
  };
}

function toPan(clear: Uint8Array): Pan {
  try {
    return new Pan(Buffer.from(clear).toString('latin1'));
  } catch {
    throw new Fault('a sealed value that was opened is not a card number', { retryable: false });
  }
}
