import { equalBytes, fromHex, type HmacSha256, Refusal } from '@tallystick/kernel';
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

/** The parts of a request that a signature covers, without the body. */
export type SignedHead = Omit<SignedParts, 'body'>;

/** The headers that a signature of version 2 also covers. Each is empty when it is not sent. */
export interface SignedHeaders {
  readonly content_type: string;
  readonly idempotency_key: string;
}

/** The maximum difference between the caller's clock and the machine's, in either direction. */
const signature_tolerance_ms = 300_000;

const bytes = new TextEncoder();

/**
 * Returns the bytes to sign, up to those of the body. Without `headers` they are those of version 1:
 *
 *     timestamp LF METHOD LF path LF query LF body
 *
 * With `headers` they are those of version 2:
 *
 *     v2 LF timestamp LF METHOD LF path LF query LF Content-Type LF Idempotency-Key LF body
 *
 * A text of version 1 begins with a digit. So a signature of one version never fits the other,
 * whatever the body is.
 */
function toSigningHead(timestamp: string, parts: SignedHead, headers?: SignedHeaders): Uint8Array {
  const target = `${timestamp}\n${parts.method}\n${parts.path}\n${parts.query}\n`;
  return bytes.encode(
    headers === undefined ? target : `v2\n${target}${headers.content_type}\n${headers.idempotency_key}\n`,
  );
}

function concat(head: Uint8Array, body: Uint8Array): Uint8Array {
  const all = new Uint8Array(head.length + body.length);
  all.set(head);
  all.set(body, head.length);
  return all;
}

/** The headers of a request that contain its signature. */
export interface SignatureHeaders {
  /** `X-Timestamp`: seconds since the Unix epoch. */
  readonly timestamp: string | undefined;
  readonly signature: string | undefined;
  /** `X-Signature-Version`: `1`, which is the default, or `2`. */
  readonly version?: string | undefined;
}

/**
 * A signature whose head is checked, and whose body is not. The caller computes HMAC-SHA-256 with
 * `secret` over `head` and the body, and passes it to `verify`.
 */
export interface ExpectedSignature {
  readonly secret: Uint8Array;
  readonly head: Uint8Array;
  /** Refuses (`unauthenticated`) a signature that is not this code. */
  verify(code: Uint8Array): void;
}

/**
 * Refuses (`unauthenticated`) a request without a valid signature when its key has a signing
 * secret. Refuses any request with an invalid signature. A key without a secret has no valid
 * signature. `machine_ms` is machine time, never the sandbox's clock.
 */
export function verifySignature(
  hmacSha256: HmacSha256,
  principal: Pick<Principal, 'signing_secret'>,
  headers: SignatureHeaders,
  parts: SignedParts,
  signed_headers: SignedHeaders,
  machine_ms: number,
): void {
  const expected = expectSignature(principal, headers, parts, signed_headers, machine_ms);
  if (expected !== null) expected.verify(hmacSha256(expected.secret, concat(expected.head, parts.body)));
}

/**
 * Checks the head of a signature, for a body that is too long to be kept: the caller verifies the
 * signature when all bytes of the body have passed. Refuses as `verifySignature`. Null when the request needs no signature and has none.
 */
export function expectSignature(
  { signing_secret }: Pick<Principal, 'signing_secret'>,
  { timestamp, signature, version = '1' }: SignatureHeaders,
  parts: SignedHead,
  signed_headers: SignedHeaders,
  machine_ms: number,
): ExpectedSignature | null {
  if (signature === undefined && signing_secret === null) return null;
  if (signing_secret === null) throw refuse('X-Signature was sent, but this key has no signing secret');
  if (signature === undefined) throw refuse('X-Signature is missing; requests of this key must be signed');
  if (version !== '1' && version !== '2') throw refuse('X-Signature-Version must be 1 or 2; absent, it is 1');
  if (timestamp === undefined) throw refuse('X-Timestamp is missing; it is required with X-Signature');
  if (!/^\d{1,12}$/.test(timestamp)) throw refuse('X-Timestamp must be whole seconds since the Unix epoch');
  if (Math.abs(machine_ms - Number(timestamp) * 1000) > signature_tolerance_ms) {
    throw refuse(`X-Timestamp is more than ${signature_tolerance_ms / 1000} seconds from the time of this service`);
  }
  if (!/^[0-9a-f]{64}$/.test(signature)) throw refuse('X-Signature must be 64 lower-case hex digits');
  return {
    secret: bytes.encode(signing_secret),
    head: toSigningHead(timestamp, parts, version === '2' ? signed_headers : undefined),
    verify(code) {
      if (!equalBytes(code, fromHex(signature))) throw refuse(mismatch[version]);
    },
  };
}

const mismatch = {
  1: 'X-Signature does not match; it covers timestamp, method, path, query and body, separated by line feeds',
  2:
    'X-Signature does not match; version 2 covers v2, timestamp, method, path, query, Content-Type, ' +
    'Idempotency-Key and body, separated by line feeds',
} as const;

function refuse(message: string): Refusal {
  return new Refusal('unauthenticated', message);
}
