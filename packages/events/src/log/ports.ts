import type { Page, PageRequest } from '@tallystick/kernel';
import type { Event, NewEvent } from './event.ts';
import type { EventFilter } from './filter.ts';

/** The event log, within a transaction. */
export interface EventStore {
  /** Appends the events in the order given. Durable when the transaction commits. */
  append(events: readonly NewEvent[]): Promise<readonly Event[]>;
  /** Returns the company's event, or null for an unknown event or an event of another company. */
  find(company_id: number, id: number): Promise<Event | null>;
  /**
   * Lists the company's events that meet every filter, newest first. The cursor contains the last
   * id, so a page costs the same at any depth. Refuses (`invalid_query`) a cursor that it did not
   * make.
   */
  list(company_id: number, filters: readonly EventFilter[], page: PageRequest): Promise<Page<Event>>;
}

/** The parts of a transaction that the use cases of this package need. */
export interface EventsTx {
  readonly events: EventStore;
}
