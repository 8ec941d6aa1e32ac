/** A secret in the form that WebCrypto takes. */
export type SecretKey = CryptoKey;

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
