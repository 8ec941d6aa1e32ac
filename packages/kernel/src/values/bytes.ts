/*
 * Bytes as text. Node 24 lacks the methods of `Uint8Array` for it.
 */

const hex_of_byte = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** Lower case. */
export function toHex(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += hex_of_byte[byte];
  return text;
}

/** Throws a `SyntaxError` for what is not hex. */
export function fromHex(text: string): Uint8Array<ArrayBuffer> {
  if (!/^(?:[0-9a-f]{2})*$/i.test(text)) throw new SyntaxError('the text is not hex');
  return Uint8Array.from({ length: text.length / 2 }, (_, index) =>
    Number.parseInt(text.slice(2 * index, 2 * index + 2), 16),
  );
}

export function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}

/** In the alphabet for URLs, without padding. */
export function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** Takes text with and without padding. Throws a `SyntaxError` for what is not base64. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    throw new SyntaxError('the text is not base64');
  }
}

/** The same in the alphabet for URLs. */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  if (/[+/]/.test(text)) throw new SyntaxError('the text is not base64 in the alphabet for URLs');
  return fromBase64(text.replaceAll('-', '+').replaceAll('_', '/'));
}
