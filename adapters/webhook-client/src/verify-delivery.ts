import { createHmac, timingSafeEqual } from 'node:crypto';
import { deliverySignature } from '@tallystick/events';

/** A delivery as a receiver got it. */
export interface ReceivedDelivery {
  /** Names in lower case, as Node gives them. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The body's text exactly as it came, before any parsing. */
  readonly body: string;
}

export interface VerifyOptions {
  /** The webhook's secret; one or, while it is being rotated, several. */
  readonly secrets: string | readonly string[];
  /** The callback URL exactly as it was registered. */
  readonly callback_url: string;
  /** How far the delivery's time may be from this machine's; 300 by default. */
  readonly tolerance_s?: number;
  /** This machine's time in seconds since the Unix epoch; for tests. */
  readonly now_s?: number;
}

/** The signature headers: after a rotation the secret before signs in the second for 24 hours. */
const signature_headers = ['x-signature', 'x-signature-previous'];

/**
 * Whether a delivery comes from the service, unchanged and fresh. False for a missing or wrong signature, another URL, a changed
 * body, or a timestamp out of tolerance. Compares in constant time.
 */
export function verifyDelivery({ headers, body }: ReceivedDelivery, options: VerifyOptions): boolean {
  const { callback_url: url, tolerance_s = 300, now_s = Date.now() / 1_000 } = options;
  const timestamp_text = headers['x-timestamp'];
  if (typeof timestamp_text !== 'string' || !/^\d{1,15}$/.test(timestamp_text)) return false;
  const timestamp = Number(timestamp_text);
  if (Math.abs(now_s - timestamp) > tolerance_s) return false;
  const secrets = typeof options.secrets === 'string' ? [options.secrets] : options.secrets;
  return secrets.some((secret) => {
    const expected = deliverySignature(hmac, secret, { timestamp, url, body });
    return signature_headers.some((name) => isSame(headers[name], expected));
  });
}

function hmac(secret: Uint8Array, message: Uint8Array): Uint8Array {
  return new Uint8Array(createHmac('sha256', secret).update(message).digest());
}

function isSame(given: string | readonly string[] | undefined, expected: string): boolean {
  if (typeof given !== 'string' || given.length !== expected.length) return false;
  return timingSafeEqual(Buffer.from(given), Buffer.from(expected));
}
