import { type Clock, type HmacSha256, type Sealer, toInstantText } from '@tallystick/kernel';
import { deliverySigner } from '@tallystick/webhook-signature';
import type { Event, Payload } from '../log/event-log.ts';
import type { Attempt, Delivery } from './delivery.ts';
import type { Webhook } from './webhook.ts';
import { type HeldSecrets, openSecrets, sealedSecrets } from './webhook-secret.ts';
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
  /** `X-Webhook-Sequence`; 0 for test deliveries; absent for what is no delivery. */
  readonly sequence?: number;
  readonly body: string;
}

/** What is called, with the secrets that sign. */
export type SignedReceiver = Pick<Webhook, 'callback_url'> & HeldSecrets;

/** Returns the request that posts the content to the receiver, signed now. */
export type SignRequest = (receiver: SignedReceiver, content: PostedContent) => WebhookRequest;

/**
 * Signs requests. It keeps the opened secrets of the last webhook, so one for each webhook opens them
 * once. It throws a `Fault` when a secret cannot be opened.
 */
export function requestSigner({ sealer, hmac, clock, machine_clock }: RequestSigner): SignRequest {
  let sealed: readonly Uint8Array[] = [];
  let signDelivery: ReturnType<typeof deliverySigner> | null = null;
  return (receiver, { id, sequence, body }) => {
    const { callback_url } = receiver;
    const sealed_now = sealedSecrets(receiver, clock.nowMs());
    if (signDelivery === null || !isSame(sealed, sealed_now)) {
      signDelivery = deliverySigner(hmac, openSecrets(sealed_now, sealer));
      sealed = sealed_now;
    }
    const timestamp = Math.floor(machine_clock.nowMs() / 1_000);
    const signatures = signDelivery({ id, timestamp, url: callback_url, body });
    return { callback_url, body, headers: { ...lastingHeaders(sequence), ...signatures } };
  };
}

function lastingHeaders(sequence: number | undefined): Readonly<Record<string, string>> {
  return {
    'content-type': 'application/json',
    'user-agent': 'Tallystick',
    ...(sequence === undefined ? {} : { 'x-webhook-sequence': String(sequence) }),
  };
}

/** The headers that differ from attempt to attempt. The others follow from the delivery. */
const kept_headers = ['x-timestamp', 'x-signature', 'x-signature-previous', 'webhook-signature'] as const;

/** What is stored of the headers of a request: JSON, in order to show how the attempt was signed. */
export function signatureOf({ headers }: Pick<WebhookRequest, 'headers'>): string {
  return JSON.stringify(Object.fromEntries(kept_headers.map((name) => [name, headers[name]])));
}

/** Returns the headers of an attempt as they were sent. */
export function sentHeaders(
  { id, sequence }: Pick<Delivery, 'id' | 'sequence'>,
  { signature }: Pick<Attempt, 'signature'>,
): Readonly<Record<string, string>> {
  const kept = JSON.parse(signature) as Readonly<Record<string, string>>;
  return {
    ...lastingHeaders(sequence),
    ...kept,
    'webhook-id': String(id),
    'webhook-timestamp': kept['x-timestamp']!,
  };
}

function isSame(some: readonly Uint8Array[], others: readonly Uint8Array[]): boolean {
  return some.length === others.length && some.every((bytes, at) => areEqual(bytes, others[at]!));
}

function areEqual(some: Uint8Array, others: Uint8Array): boolean {
  return some === others || (some.length === others.length && some.every((byte, at) => byte === others[at]));
}
