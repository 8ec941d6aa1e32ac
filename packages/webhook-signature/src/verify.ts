/**
 * Verification of a delivery by its receiver. The service signs each delivery in two schemes, and
 * one is enough:
 *
 *   verifyDelivery         X-Timestamp, X-Signature, X-Signature-Previous: timestamp, URL and body
 *   verifyStandardWebhook  webhook-id, webhook-timestamp, webhook-signature: id, timestamp and body
 *
 * The first also proves which URL the delivery is for. Do not accept a delivery because either of
 * them verifies: an attacker that can repeat a delivery can omit the headers of one scheme.
 */
import { type DeliveryHeaders, headerOf, type ReceivedDelivery } from './received-delivery.ts';
import { importSecret, isSignature, signatureOfBase64, signatureOfHex } from './signature.ts';
import { deliveryBytes, secretBytes, standardBytes, standardSecretBytes } from './signed-text.ts';

/** The values that a verification needs besides the delivery. */
export interface VerifyStandardOptions {
  /** The webhook's secret, or several secrets during a rotation: one that verifies is enough. */
  readonly secrets: string | readonly string[];
  /**
   * The largest difference between the delivery's time and this machine's time, in seconds, in
   * either direction; 300 by default.
   */
  readonly tolerance_s?: number;
  /**
   * This machine's time in seconds since the Unix epoch, for tests; `Date.now() / 1000` by default.
   */
  readonly now_s?: number;
}

export interface VerifyOptions extends VerifyStandardOptions {
  /** The callback URL exactly as it was registered, even if a proxy changes it. */
  readonly callback_url: string;
}

/** The delivery is from the service, unchanged and recent. */
export interface Verified {
  readonly verified: true;
  /** When the attempt was signed, seconds since the Unix epoch. */
  readonly timestamp: number;
  /**
   * The index in `secrets` of the secret that verified. An old secret that no delivery needs can be
   * removed.
   */
  readonly secret_index: number;
}

/**
 * Why a delivery does not verify: a closed list, so that a receiver can count and log the reasons.
 */
export type RefusedReason =
  | 'missing_header'
  | 'malformed_header'
  | 'timestamp_too_old'
  | 'timestamp_in_future'
  | 'signature_mismatch';

/** The delivery must not be trusted: answer 401. */
export interface Refused {
  readonly verified: false;
  readonly reason: RefusedReason;
  /** The header that caused the refusal, in lower case. */
  readonly header: string;
  /** The reason as a sentence, for a log. Contains no secret and no signature. */
  readonly message: string;
}

export type Verification = Verified | Refused;

/**
 * Verifies `X-Signature`, which covers timestamp, callback URL and body. After a rotation the old
 * secret also verifies, by `X-Signature-Previous`, for as long as the service sends it. Compares in
 * constant time.
 *
 * Throws a `TypeError` when an option is unusable, such as a secret that is empty because a
 * variable is not set, and when `body` was parsed. Nothing that a sender can send throws.
 *
 * @example
 * const result = await verifyDelivery(
 *   { headers: request.headers, body: await request.text() },
 *   { secrets: webhook_secret, callback_url: 'https://hooks.example.com/tallystick' },
 * );
 * if (!result.verified) return new Response(result.reason, { status: 401 });
 *
 * @example During a rotation
 * await verifyDelivery(delivery, { secrets: [new_secret, old_secret], callback_url });
 */
export async function verifyDelivery(delivery: ReceivedDelivery, options: VerifyOptions): Promise<Verification> {
  const { headers } = delivery;
  const body = checkBody(delivery);
  const { callback_url: url } = options;
  const secrets = checkSecrets(options);
  if (typeof url !== 'string' || url === '') throw new TypeError('callback_url must be the URL as it was registered');
  const time = readTimestamp(headers, 'x-timestamp', options);
  if (typeof time !== 'number') return time;
  const signatures: Uint8Array<ArrayBuffer>[] = [];
  for (const header of ['x-signature', 'x-signature-previous']) {
    const text = headerOf(headers, header);
    if (text === null) {
      if (header === 'x-signature') return refuseMissing(header);
      continue;
    }
    const signature = signatureOfHex(text);
    if (signature === null) return refuseMalformed(header, 'must be 64 lower-case hex digits');
    signatures.push(signature);
  }
  const message = deliveryBytes({ timestamp: time, url, body });
  return await findMatch(secrets.map(secretBytes), signatures, message, time, 'x-signature');
}

/**
 * Verifies `webhook-signature` as the Standard Webhooks specification defines it: with the bytes
 * that the base64 after `whsec_` stands for, or with the text of any other secret. It covers id,
 * timestamp and body, and not the URL. Compares in constant time. Throws like `verifyDelivery`.
 *
 * @example
 * const secrets = [new_secret, old_secret];
 * const result = await verifyStandardWebhook({ headers, body }, { secrets });
 * if (!result.verified) console.warn(result.message);
 */
export async function verifyStandardWebhook(
  delivery: ReceivedDelivery,
  options: VerifyStandardOptions,
): Promise<Verification> {
  const { headers } = delivery;
  const body = checkBody(delivery);
  const secrets = checkSecrets(options);
  const id = headerOf(headers, 'webhook-id');
  if (id === null) return refuseMissing('webhook-id');
  if (id === '' || id.includes('.')) return refuseMalformed('webhook-id', 'must not be empty or contain a full stop');
  const time = readTimestamp(headers, 'webhook-timestamp', options);
  if (typeof time !== 'number') return time;
  const text = headerOf(headers, 'webhook-signature');
  if (text === null) return refuseMissing('webhook-signature');
  const signatures = text
    .split(' ')
    .filter((one) => one.startsWith('v1,'))
    .map((one) => signatureOfBase64(one.slice('v1,'.length)))
    .filter((one) => one !== null);
  if (signatures.length === 0)
    return refuseMalformed('webhook-signature', 'must contain a signature of the form v1,<base64>');
  const message = standardBytes({ id, timestamp: time, body });
  return await findMatch(secrets.map(standardSecretBytes), signatures, message, time, 'webhook-signature');
}

/** Returns the delivery's time in seconds, or why it is refused. */
function readTimestamp(
  headers: DeliveryHeaders,
  header: string,
  { tolerance_s = 300, now_s = Date.now() / 1_000 }: VerifyStandardOptions,
): number | Refused {
  if (!(tolerance_s >= 0)) throw new TypeError(`tolerance_s must be 0 or more seconds, not ${tolerance_s}`);
  if (!Number.isFinite(now_s)) throw new TypeError(`now_s must be seconds since the Unix epoch, not ${now_s}`);
  const text = headerOf(headers, header);
  if (text === null) return refuseMissing(header);
  if (!/^(0|[1-9]\d{0,11})$/.test(text)) return refuseMalformed(header, 'must be whole seconds since the Unix epoch');
  const timestamp = Number(text);
  const age_s = now_s - timestamp;
  if (age_s > tolerance_s) {
    const message = `${header} is ${Math.round(age_s)} seconds old; ${tolerance_s} are allowed`;
    return { verified: false, reason: 'timestamp_too_old', header, message };
  }
  if (-age_s > tolerance_s) {
    const message = `${header} is ${Math.round(-age_s)} seconds in the future; ${tolerance_s} are allowed`;
    return { verified: false, reason: 'timestamp_in_future', header, message };
  }
  return timestamp;
}

async function findMatch(
  keys: readonly Uint8Array<ArrayBuffer>[],
  signatures: readonly Uint8Array<ArrayBuffer>[],
  message: Uint8Array<ArrayBuffer>,
  timestamp: number,
  header: string,
): Promise<Verification> {
  for (const [secret_index, bytes] of keys.entries()) {
    const key = await importSecret(bytes);
    for (const signature of signatures)
      if (await isSignature(key, signature, message)) return { verified: true, timestamp, secret_index };
  }
  return {
    verified: false,
    reason: 'signature_mismatch',
    header,
    message: `${header} was made with another secret, another body${header === 'x-signature' ? ', another URL' : ''} or another time`,
  };
}

function checkSecrets({ secrets }: VerifyStandardOptions): readonly string[] {
  const all = typeof secrets === 'string' ? [secrets] : secrets;
  const usable = Array.isArray(all) && all.length > 0 && all.every((one) => typeof one === 'string' && one !== '');
  if (!usable) throw new TypeError('secrets must be a secret or a list of secrets, none of them empty');
  return all;
}

/** A parsed body cannot be verified: it is not known which bytes it was parsed from. */
function checkBody({ body }: ReceivedDelivery): string | Uint8Array {
  const is_bytes = Object.prototype.toString.call(body) === '[object Uint8Array]';
  if (typeof body === 'string' || is_bytes) return body;
  throw new TypeError('body must be the text or the bytes as they arrived, before a parser such as express.json()');
}

function refuseMissing(header: string): Refused {
  return { verified: false, reason: 'missing_header', header, message: `${header} is missing` };
}

function refuseMalformed(header: string, what: string): Refused {
  return { verified: false, reason: 'malformed_header', header, message: `${header} ${what}` };
}
