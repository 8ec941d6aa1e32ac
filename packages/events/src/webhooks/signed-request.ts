import type { Clock, HmacSha256, Sealer } from '@tallystick/kernel';
import { signDeliveryWith } from '@tallystick/webhook-signature';
import type { Webhook } from './webhook.ts';
import { signingSecrets } from './webhook-secret.ts';
import type { WebhookRequest } from './webhook-sender.ts';

/** What signing a request takes. */
export interface RequestSigner {
  readonly sealer: Sealer;
  readonly hmac: HmacSha256;
  /** The service's clock: whether the secret before a rotation still signs. */
  readonly clock: Clock;
  /** The machine's clock: the timestamp that is signed. */
  readonly machine_clock: Clock;
}

/** What a webhook is posted, beside its body. */
export interface PostedContent {
  /** `webhook-id`: the same at every attempt. */
  readonly id: string;
  /** `X-Webhook-Sequence`; 0 for test deliveries. */
  readonly sequence: number;
  readonly body: string;
}

/** The request that posts the content to the webhook, signed now. Throws a `Fault` when a secret cannot be opened. */
export function signedRequest(
  { sealer, hmac, clock, machine_clock }: RequestSigner,
  webhook: Webhook,
  { id, sequence, body }: PostedContent,
): WebhookRequest {
  const { callback_url } = webhook;
  const secrets = signingSecrets(webhook, clock.now().epochMilliseconds, sealer);
  const timestamp = Math.floor(machine_clock.now().epochMilliseconds / 1_000);
  return {
    callback_url,
    body,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Tallystick',
      'x-webhook-sequence': String(sequence),
      ...signDeliveryWith(hmac, secrets, { id, timestamp, url: callback_url, body }),
    },
  };
}
