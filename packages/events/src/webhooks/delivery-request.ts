import { type Clock, type HmacSha256, type Sealer, toInstantText } from '@tallystick/kernel';
import { signDeliveryWith } from '@tallystick/webhook-signature';
import type { Event, Payload } from '../log/event-log.ts';
import type { Webhook } from './webhook.ts';
import { signingSecrets } from './webhook-secret.ts';
import type { WebhookRequest } from './webhook-sender.ts';

/** The content of a delivery, before it is text. */
interface EnvelopeContent {
  readonly created_at_ms: number;
  /** 0 for test deliveries. */
  readonly event_id: number;
  readonly payload: Payload;
  readonly previous: Payload | null;
  readonly type: string;
}

/**
 * Returns the body of a delivery (service specification 2.7). The same content has the same bytes
 * at every attempt.
 */
export function envelopeBody(content: EnvelopeContent): string {
  return JSON.stringify({
    data: {
      date: toInstantText(content.created_at_ms),
      'event-id': content.event_id,
      payload: content.payload,
      previous: content.previous,
      type: content.type,
    },
  });
}

/** Returns the body that delivers the event under the name to which the webhook subscribed. */
export function eventBody(event: Event, type: string): string {
  return envelopeBody({ ...event, event_id: event.id, type });
}

export interface RequestSigner {
  readonly sealer: Sealer;
  readonly hmac: HmacSha256;
  /** Service time: decides whether the previous secret still signs after a rotation. */
  readonly clock: Clock;
  /** Machine time: the timestamp that is signed. */
  readonly machine_clock: Clock;
}

interface PostedContent {
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
