import type { Random } from './random.ts';

/** Bounds of a secret that somebody chose, in UTF-16 code units. */
export const shared_secret_length_min = 16;
export const shared_secret_length_max = 256;

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 43 characters of 62 carry 256 bits. */
const drawn_length = 43;

/**
 * A secret that a client and the service share to sign requests or deliveries with, drawn by the service: 256 bits in
 * letters and digits. It signs as the bytes of its UTF-8 text.
 */
export function drawSharedSecret(random: Random): string {
  return Array.from({ length: drawn_length }, () => base62[random.below(base62.length)]).join('');
}

/** Whether a secret that somebody chose may be one: within the bounds, and text that has bytes in UTF-8. */
export function isSharedSecret(secret: unknown): secret is string {
  return (
    typeof secret === 'string' &&
    secret.length >= shared_secret_length_min &&
    secret.length <= shared_secret_length_max &&
    secret.isWellFormed()
  );
}
