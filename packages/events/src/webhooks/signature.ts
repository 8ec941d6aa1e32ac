import type { HmacSha256 } from '@tallystick/kernel';

/** What a delivery is signed with. */
export interface SigningInput {
  /** Seconds since the Unix epoch, machine time. */
  readonly timestamp: number;
  /** Exactly as the client wrote it. */
  readonly url: string;
  readonly body: string;
}

const bytes = new TextEncoder();

/** Lower-case hex HMAC-SHA-256 over `timestamp LF POST LF url LF body` (service specification 5.3). */
export function deliverySignature(hmac: HmacSha256, secret: string, input: SigningInput): string {
  const text = `${input.timestamp}\nPOST\n${input.url}\n${input.body}`;
  return hmac(bytes.encode(secret), bytes.encode(text)).toHex();
}

/** One signature of the Standard Webhooks specification: `v1,` and the base64 HMAC-SHA-256 over `id.timestamp.body`. */
export function standardSignature(
  hmac: HmacSha256,
  secret: string,
  input: Omit<SigningInput, 'url'> & { readonly id: string },
): string {
  return `v1,${hmac(bytes.encode(secret), bytes.encode(`${input.id}.${input.timestamp}.${input.body}`)).toBase64()}`;
}

/** The secrets that sign now: the webhook's, and for 24 hours after a rotation the one before. */
export interface SigningSecrets {
  readonly current: string;
  readonly previous: string | null;
}

/** The signature headers of one attempt. */
export function signatureHeaders(
  hmac: HmacSha256,
  secrets: SigningSecrets,
  input: SigningInput & { readonly id: string },
): Readonly<Record<string, string>> {
  const all = [secrets.current, ...(secrets.previous === null ? [] : [secrets.previous])];
  return {
    'x-timestamp': String(input.timestamp),
    'x-signature': deliverySignature(hmac, secrets.current, input),
    ...(secrets.previous === null ? {} : { 'x-signature-previous': deliverySignature(hmac, secrets.previous, input) }),
    'webhook-id': input.id,
    'webhook-timestamp': String(input.timestamp),
    'webhook-signature': all.map((secret) => standardSignature(hmac, secret, input)).join(' '),
  };
}
