import { type Call, type Page, type PageRequest, Refusal } from '@tallystick/kernel';
import type { EventFilter } from './filter.ts';

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

/** The state of an API object in an event; JSON values only. */
export type Payload = Readonly<Record<string, unknown>>;

/** An event to be written in the transaction of the change that it describes. */
export interface NewEvent {
  readonly company_id: number;
  /** The stored name of its type, e.g. `virtualcard.created`. */
  readonly event_type: string;
  readonly payload: Payload;
  /** The previous state; null when the object was created. */
  readonly previous: Payload | null;
  readonly created_at_ms: number;
  /** The request that caused it; null for jobs. */
  readonly request_id: string | null;
}

/** An event as stored. The ids of one process rise in the order in which it wrote the events. */
export interface Event extends NewEvent {
  readonly id: number;
}

export interface EventStore {
  /** Appends the events in the order given. Durable when the transaction commits. */
  append(events: readonly NewEvent[]): Promise<readonly Event[]>;
  /** Returns the company's event, or null for an unknown event or an event of another company. */
  find(company_id: number, id: number): Promise<Event | null>;
  /**
   * Lists the company's events that meet every filter, newest first. The cursor contains the last
   * id, so a page costs the same at any depth. Refuses (`invalid_query`) a cursor that it did not
   * make. For null it lists the events of all companies, by filters of texts.
   */
  list(company_id: number | null, filters: readonly EventFilter[], page: PageRequest): Promise<Page<Event>>;
}

export interface EventsTx {
  readonly events: EventStore;
}
