import type { Random } from './secrets.ts';

/** Bounds of a secret that a client chose, in UTF-16 code units. */
export const shared_secret_length_min = 16;
export const shared_secret_length_max = 256;

/** The wording of what `isSharedSecret` allows. */
export const shared_secret_expected = `text of ${shared_secret_length_min} to ${shared_secret_length_max} characters`;

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 43 characters of 62 carry 256 bits. */
const drawn_length = 43;

/**
 * Generates a secret with which a client and the service sign requests or deliveries: 256 bits in
 * letters and digits. Its UTF-8 bytes are the key of the signature.
 */
export function drawSharedSecret(random: Random): string {
  return Array.from({ length: drawn_length }, () => base62[random.below(base62.length)]).join('');
}

/**
 * Whether a secret that a client chose is valid: within the bounds, and text that UTF-8 can encode.
 */
export function isSharedSecret(secret: unknown): secret is string {
  return (
    typeof secret === 'string' &&
    secret.length >= shared_secret_length_min &&
    secret.length <= shared_secret_length_max &&
    secret.isWellFormed()
  );
}
