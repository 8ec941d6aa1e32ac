import { type HmacSha256, Refusal } from '@tallystick/kernel';
import { equalBytes } from './equal-bytes.ts';
import type { Principal } from './principal.ts';

/** The parts of a request that a signature covers, exactly as they were sent. */
export interface SignedParts {
  /** Upper case. */
  readonly method: string;
  /** As sent, still percent-encoded, without the query. */
  readonly path: string;
  /** As sent, without `?`; empty when there is none. */
  readonly query: string;
  /** The body's bytes; none when there is none. */
  readonly body: Uint8Array;
}

/** How far the caller's clock may be from the machine's, either way. */
export const signature_tolerance_ms = 300_000;

const bytes = new TextEncoder();

/** The bytes that are signed: `timestamp LF METHOD LF path LF query LF body`. */
export function toSigningString(timestamp: string, parts: SignedParts): Uint8Array {
  const head = bytes.encode(`${timestamp}\n${parts.method}\n${parts.path}\n${parts.query}\n`);
  const all = new Uint8Array(head.length + parts.body.length);
  all.set(head);
  all.set(parts.body, head.length);
  return all;
}

/** The signature: lower-case hex HMAC-SHA-256 under the key's signing secret, taken as UTF-8 bytes. */
export function signRequest(
  hmacSha256: HmacSha256,
  signing_secret: string,
  timestamp: string,
  parts: SignedParts,
): string {
  return hmacSha256(bytes.encode(signing_secret), toSigningString(timestamp, parts)).toHex();
}

/** What a request says of its signature. */
export interface SignatureHeaders {
  /** `X-Timestamp`: seconds since the Unix epoch. */
  readonly timestamp: string | undefined;
  /** `X-Signature`. */
  readonly signature: string | undefined;
}

/**
 * Refuses (`unauthenticated`) a request whose key has a signing secret unless its signature verifies, and any request
 * that bears a signature which does not: of a key without a secret none can. `machine_ms` is the machine's own time, never
 * the sandbox's clock.
 */
export function verifySignature(
  hmacSha256: HmacSha256,
  principal: Pick<Principal, 'signing_secret'>,
  headers: SignatureHeaders,
  parts: SignedParts,
  machine_ms: number,
): void {
  const { signing_secret } = principal;
  const { timestamp, signature } = headers;
  if (signature === undefined && signing_secret === null) return;
  if (signing_secret === null) throw refuse('X-Signature was sent, but this key has no signing secret');
  if (signature === undefined) throw refuse('X-Signature is missing; requests of this key must be signed');
  if (timestamp === undefined) throw refuse('X-Timestamp is missing; it goes with X-Signature');
  if (!/^\d{1,12}$/.test(timestamp)) throw refuse('X-Timestamp must be whole seconds since the Unix epoch');
  if (Math.abs(machine_ms - Number(timestamp) * 1000) > signature_tolerance_ms) {
    throw refuse(`X-Timestamp is more than ${signature_tolerance_ms / 1000} seconds from the time of this service`);
  }
  if (!/^[0-9a-f]{64}$/.test(signature)) throw refuse('X-Signature must be 64 lower-case hex digits');
  const expected = hmacSha256(bytes.encode(signing_secret), toSigningString(timestamp, parts));
  if (!equalBytes(expected, Uint8Array.fromHex(signature))) {
    throw refuse(
      'X-Signature does not fit; it covers timestamp, method, path, query and body, with line feeds between',
    );
  }
}

function refuse(message: string): Refusal {
  return new Refusal('unauthenticated', message);
}
