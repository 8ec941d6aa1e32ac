import { type Call, type Page, type PageRequest, Refusal, toInstantText } from '@tallystick/kernel';
import type { Event, Payload } from './event.ts';
import type { EventFilter } from './filter.ts';
import type { EventsTx } from './ports.ts';

/** An event as the API shows it (service specification 2.4). */
export interface EventResource {
  readonly id: string;
  readonly event_type: string;
  readonly payload: Payload;
  readonly previous: Payload | null;
  /** ISO 8601, UTC, with milliseconds. */
  readonly created_at: string;
  readonly type: 'event';
  readonly url: string;
}

/** The resource of an event. */
export function toEventResource(event: Event): EventResource {
  return {
    id: String(event.id),
    event_type: event.event_type,
    payload: event.payload,
    previous: event.previous,
    created_at: toInstantText(event.created_at_ms),
    type: 'event',
    url: `/v1/events/${event.id}`,
  };
}

/** One event of the caller's company. Refuses `not_found`, alike for an unknown one and another company's. */
export async function readEvent(tx: EventsTx, call: Call, id: number): Promise<Event> {
  const event = await tx.events.find(call.company_id, id);
  if (event === null) throw new Refusal('not_found', `there is no event ${id}`);
  return event;
}

/** The events of the caller's company that meet every filter, newest first. Refuses (`invalid_query`) a cursor of another list. */
export function listEvents(
  tx: EventsTx,
  call: Call,
  filters: readonly EventFilter[],
  page: PageRequest,
): Promise<Page<Event>> {
  return tx.events.list(call.company_id, filters, page);
}
