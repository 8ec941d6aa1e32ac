/**
 * Signatures as texts: 64 lower-case hex digits in `X-Signature`, 44 characters of base64 in
 * `webhook-signature`.
 *
 * The code is hand-written because Node 20 lacks `Uint8Array.toHex` and `Uint8Array.toBase64`.
 */

const hex_of_byte = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** Returns the bytes in lower-case hex. */
export function toHex(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += hex_of_byte[byte];
  return text;
}

/** Returns the 32 bytes of a signature in lower-case hex, or null when the text is not one. */
export function signatureOfHex(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[0-9a-f]{64}$/.test(text)) return null;
  return Uint8Array.from({ length: 32 }, (_, at) => Number.parseInt(text.slice(2 * at, 2 * at + 2), 16));
}

/** Returns the bytes in base64, padded. */
export function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

/** Returns the 32 bytes of a signature in base64, or null when the text is not one. */
export function signatureOfBase64(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[A-Za-z0-9+/]{43}=$/.test(text)) return null;
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
