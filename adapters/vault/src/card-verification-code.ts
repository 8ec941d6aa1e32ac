import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Pan } from '@tallystick/cards';
import { deriveSubkey, type KeyRing } from './key-ring.ts';

/**
 * Derives the code of a number and its expiry (YYYY-MM). The same input always returns the same
 * code.
 */
export type DeriveCvc = (pan: Pan, expiry: string) => string;

/**
 * Derives three digits from HMAC-SHA-256 over `number LF expiry`: its first 48 bits, modulo 1000.
 * The probabilities of two codes differ by less than one part in 10^11.
 */
export function createCvcDeriver(ring: KeyRing): DeriveCvc {
  const key = deriveSubkey(ring.index_material, 'cvc');
  return (pan, expiry) => {
    const hash = createHmac('sha256', key).update(`${pan.reveal()}\n${expiry}`).digest();
    return String(hash.readUIntBE(0, 6) % 1000).padStart(3, '0');
  };
}

/** Whether two codes are equal, in constant time. Their lengths are not secret. */
export function isSameCvc(expected: string, given: string): boolean {
  const a = Buffer.from(expected);
  const b = Buffer.from(given);
  return a.length === b.length && timingSafeEqual(a, b);
}
