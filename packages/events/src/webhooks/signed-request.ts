import type { Clock, HmacSha256, Sealer } from '@tallystick/kernel';
import { signDeliveryWith } from '@tallystick/webhook-signature';
import type { Webhook } from './webhook.ts';
import { signingSecrets } from './webhook-secret.ts';
import type { WebhookRequest } from './webhook-sender.ts';

/** The parts that are required to sign a request. */
export interface RequestSigner {
  readonly sealer: Sealer;
  readonly hmac: HmacSha256;
  /** Service time: decides whether the previous secret still signs after a rotation. */
  readonly clock: Clock;
  /** Machine time: the timestamp that is signed. */
  readonly machine_clock: Clock;
}

/** The content of a request to a webhook. */
export interface PostedContent {
  /** `webhook-id`: the same at every attempt. */
  readonly id: string;
  /** `X-Webhook-Sequence`; 0 for test deliveries. */
  readonly sequence: number;
  readonly body: string;
}

/**
 * Returns the request that posts the content to the webhook, signed now. Throws a `Fault` when a
 * secret cannot be opened.
 */
export function signedRequest(
  { sealer, hmac, clock, machine_clock }: RequestSigner,
  webhook: Webhook,
  { id, sequence, body }: PostedContent,
): WebhookRequest {
  const { callback_url } = webhook;
  const secrets = signingSecrets(webhook, clock.nowMs(), sealer);
  const timestamp = Math.floor(machine_clock.nowMs() / 1_000);
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
