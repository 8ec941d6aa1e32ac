import { type Call, type Page, type PageRequest, Refusal } from '@tallystick/kernel';
import type { Event } from './event.ts';
import type { EventFilter } from './filter.ts';
import type { EventsTx } from './ports.ts';

/**
 * Reads one event of the caller's company. Refuses `not_found` both for an unknown event and for an
 * event of another company.
 */
export async function readEvent(tx: EventsTx, call: Call, id: number): Promise<Event> {
  const event = await tx.events.find(call.company_id, id);
  if (event === null) throw new Refusal('not_found', `there is no event ${id}`);
  return event;
}

/**
 * Lists the events of the caller's company that meet every filter, newest first. Refuses
 * (`invalid_query`) a cursor of another list.
 */
export function listEvents(
  tx: EventsTx,
  call: Call,
  filters: readonly EventFilter[],
  page: PageRequest,
): Promise<Page<Event>> {
  return tx.events.list(call.company_id, filters, page);
}
