import type { Random } from '@tallystick/kernel';

/** Of 192 bits, so that nobody finds one by trying. */
const id_bytes = 24;

/** A new id that nobody can guess, in characters that a URL needs not escape: 32 after the prefix. */
export function unguessableId(random: Random, prefix: string): string {
  return prefix + new Uint8Array(random.bytes(id_bytes)).toBase64({ alphabet: 'base64url', omitPadding: true });
}
