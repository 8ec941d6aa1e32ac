/**
 * The parts that the signatures of one delivery cover. Sender and receiver build the signed bytes
 * only here.
 */
export interface SignedDelivery {
  /** `webhook-id`, without a full stop; the same at every attempt. */
  readonly id: string;
  /** Seconds since the Unix epoch: when the attempt was signed. */
  readonly timestamp: number;
  /** The callback URL exactly as it was registered. */
  readonly url: string;
  /** The body exactly as it is sent. A text means its UTF-8 bytes. */
  readonly body: string | Uint8Array;
}

const utf8 = new TextEncoder();

/**
 * Returns the bytes that `X-Signature` covers: `timestamp LF POST LF url LF body` (service
 * specification 5.3).
 */
export function deliveryBytes({ timestamp, url, body }: Omit<SignedDelivery, 'id'>): Uint8Array<ArrayBuffer> {
  return joined(`${timestamp}\nPOST\n${url}\n`, body);
}

/**
 * Returns the bytes that a signature of the Standard Webhooks specification covers:
 * `id.timestamp.body`.
 */
export function standardBytes({ id, timestamp, body }: Omit<SignedDelivery, 'url'>): Uint8Array<ArrayBuffer> {
  return joined(`${id}.${timestamp}.`, body);
}

/** Returns the bytes that a secret signs `X-Signature` with: the UTF-8 bytes of its text. */
export function secretBytes(secret: string): Uint8Array<ArrayBuffer> {
  return utf8.encode(secret);
}

/**
 * Returns the bytes that a secret signs `webhook-signature` with: what `whsec_` and base64 stand
 * for, else the UTF-8 bytes of its text (decision: webhooks, secret).
 */
export function standardSecretBytes(secret: string): Uint8Array<ArrayBuffer> {
  return decodeStandardSecret(secret) ?? secretBytes(secret);
}

const standard_secret = /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/;

/**
 * Returns the bytes of a secret in the form of the Standard Webhooks specification: `whsec_` and
 * padded base64. Returns null for a text of any other form, and for no bytes.
 */
export function decodeStandardSecret(secret: string): Uint8Array<ArrayBuffer> | null {
  const base64 = standard_secret.exec(secret)?.[1];
  if (base64 === undefined || base64 === '') return null;
  const latin1 = atob(base64);
  const bytes = new Uint8Array(latin1.length);
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = latin1.charCodeAt(at);
  return bytes;
}

function joined(head: string, body: string | Uint8Array): Uint8Array<ArrayBuffer> {
  if (typeof body === 'string') return utf8.encode(head + body);
  const head_bytes = utf8.encode(head);
  const all = new Uint8Array(head_bytes.length + body.length);
  all.set(head_bytes);
  all.set(body, head_bytes.length);
  return all;
}
