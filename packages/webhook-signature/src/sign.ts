import { hmacSha256, importSecret, toBase64, toHex } from './signature.ts';
import { deliveryBytes, type SignedDelivery, secretBytes, standardBytes, standardSecretBytes } from './signed-text.ts';

/** The secrets that sign a delivery. */
export interface SigningSecrets {
  readonly current: string;
  /** The previous secret of a rotation while it still signs, otherwise null. */
  readonly previous: string | null;
}

/**
 * Returns HMAC-SHA-256 of the message synchronously: 32 bytes. Node's `createHmac`, for example.
 */
export type SynchronousHmac = (secret: Uint8Array, message: Uint8Array) => Uint8Array;

/** The two signatures by one secret, as bytes. */
interface SignaturePair {
  readonly delivery: Uint8Array;
  readonly standard: Uint8Array;
}

/**
 * Returns the signature headers of a delivery, in both schemes, as the service sends them.
 * Receivers use it to test their endpoint. Throws a `TypeError` for a delivery that cannot be
 * signed.
 *
 * @example
 * const url = 'https://hooks.example.com/tallystick';
 * const body = '{"data":{"type":"virtualcard.created"}}';
 * const delivery = { id: '17', timestamp: Math.floor(Date.now() / 1000), url, body };
 * const headers = await signDelivery({ current: secret, previous: null }, delivery);
 * await fetch('http://localhost:3000/tallystick', { method: 'POST', headers, body });
 */
export async function signDelivery(
  secrets: SigningSecrets,
  delivery: SignedDelivery,
): Promise<Readonly<Record<string, string>>> {
  checkSecrets(secrets);
  checkDelivery(delivery);
  const pairOf = async (secret: string): Promise<SignaturePair> => {
    return {
      delivery: await hmacSha256(await importSecret(secretBytes(secret)), deliveryBytes(delivery)),
      standard: await hmacSha256(await importSecret(standardSecretBytes(secret)), standardBytes(delivery)),
    };
  };
  const previous = secrets.previous === null ? null : await pairOf(secrets.previous);
  return headersOf(delivery, await pairOf(secrets.current), previous);
}

/**
 * Returns a function that returns the same headers as `signDelivery`, synchronously, with an HMAC
 * that the caller supplies. For a sender of many deliveries: WebCrypto costs a round trip to another
 * thread for each signature, and the secrets are decoded once. Throws a `TypeError` for an empty
 * secret, and the function for a delivery that cannot be signed.
 *
 * @example
 * import { createHmac } from 'node:crypto';
 *
 * const hmac: SynchronousHmac = (key, message) => createHmac('sha256', key).update(message).digest();
 * const sign = deliverySigner(hmac, { current: secret, previous: null });
 * const headers = sign({ id, timestamp, url, body });
 */
export function deliverySigner(
  hmac: SynchronousHmac,
  secrets: SigningSecrets,
): (delivery: SignedDelivery) => Readonly<Record<string, string>> {
  checkSecrets(secrets);
  const pairingWith = (secret: string) => {
    const [bytes, standard_bytes] = [secretBytes(secret), standardSecretBytes(secret)];
    return (delivery: SignedDelivery): SignaturePair => ({
      delivery: hmac(bytes, deliveryBytes(delivery)),
      standard: hmac(standard_bytes, standardBytes(delivery)),
    });
  };
  const pairOf = pairingWith(secrets.current);
  const previousPairOf = secrets.previous === null ? () => null : pairingWith(secrets.previous);
  return (delivery) => {
    checkDelivery(delivery);
    return headersOf(delivery, pairOf(delivery), previousPairOf(delivery));
  };
}

function headersOf(
  { id, timestamp }: SignedDelivery,
  current: SignaturePair,
  previous: SignaturePair | null,
): Readonly<Record<string, string>> {
  const pairs = previous === null ? [current] : [current, previous];
  return {
    'x-timestamp': String(timestamp),
    'x-signature': toHex(current.delivery),
    ...(previous === null ? {} : { 'x-signature-previous': toHex(previous.delivery) }),
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': pairs.map(({ standard }) => `v1,${toBase64(standard)}`).join(' '),
  };
}

function checkSecrets({ current, previous }: SigningSecrets): void {
  if (current === '' || previous === '') throw new TypeError('a secret must not be empty');
}

/**
 * Throws when the delivery would sign as something else, or could not be verified: an error of the
 * caller.
 */
function checkDelivery({ id, timestamp, url }: SignedDelivery): void {
  if (id === '' || id.includes('.')) throw new TypeError('the id must not be empty or contain a full stop');
  if (url === '') throw new TypeError('the url must be the callback URL as it was registered');
  // Twelve digits are the year 33658: a longer number is not in seconds.
  if (!Number.isSafeInteger(timestamp) || timestamp < 0 || timestamp >= 1e12)
    throw new TypeError(`the timestamp must be whole seconds since the Unix epoch, not ${timestamp}`);
}
