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

/** A secret in the form that WebCrypto takes. */
type SecretKey = CryptoKey;

const hmac_sha256 = { name: 'HMAC', hash: 'SHA-256' };

/** Imports the secret for HMAC-SHA-256. It cannot be read out of the key again. */
export function importSecret(secret: Uint8Array<ArrayBuffer>): Promise<SecretKey> {
  return globalThis.crypto.subtle.importKey('raw', secret, hmac_sha256, false, ['sign', 'verify']);
}

/** Returns HMAC-SHA-256 of the message: 32 bytes. */
export async function hmacSha256(key: SecretKey, message: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await globalThis.crypto.subtle.sign('HMAC', key, message));
}

/** Returns whether the signature is valid for the message. WebCrypto compares in constant time. */
export function isSignature(
  key: SecretKey,
  signature: Uint8Array<ArrayBuffer>,
  message: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  return globalThis.crypto.subtle.verify('HMAC', key, signature, message);
}
