import type { Event } from '@tallystick/events';
import { toInstantText } from '@tallystick/kernel';

/** An event as the API shows it (service specification 2.4). */
export function presentEvent(event: Event) {
  return {
    id: String(event.id),
    event_type: event.event_type,
    payload: event.payload,
    previous: event.previous,
    created_at: toInstantText(event.created_at_ms),
    type: 'event' as const,
    url: `/v1/events/${event.id}`,
  };
}
