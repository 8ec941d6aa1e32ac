import { toInstantText } from '@tallystick/kernel';
import type { Event, Payload } from '../log/event.ts';

/** The content of a delivery, before it is text. */
export interface EnvelopeContent {
  readonly created_at_ms: number;
  /** 0 for test deliveries. */
  readonly event_id: number;
  readonly payload: Payload;
  readonly previous: Payload | null;
  /** The event type's name. */
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
