import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Pan } from '@tallystick/cards';
import type { KeyRing } from './key-ring.ts';
import { deriveSubkey } from './subkey.ts';

/** Gives the code of a number and its expiry (YYYY-MM): the same each time. */
export type DeriveCvc = (pan: Pan, expiry: string) => string;

/**
 * Three digits from HMAC-SHA-256 over `number LF expiry`. The first 48 bits of it, modulo 1000: the likeliest code is
 * ahead of the least likely by less than one part in 10^11.
 */
export function cvcDeriver(ring: KeyRing): DeriveCvc {
  const key = deriveSubkey(ring.index_material, 'cvc');
  return (pan, expiry) => {
    const hash = createHmac('sha256', key).update(`${pan.reveal()}\n${expiry}`).digest();
    return String(hash.readUIntBE(0, 6) % 1000).padStart(3, '0');
  };
}

/** Whether two codes are the same, in a time that does not tell how much of them is. Their lengths are no secret. */
export function sameCvc(expected: string, given: string): boolean {
  const a = Buffer.from(expected);
  const b = Buffer.from(given);
  return a.length === b.length && timingSafeEqual(a, b);
}
