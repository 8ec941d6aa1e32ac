import type { Page, PageRequest } from '@tallystick/kernel';
import type { Event, NewEvent } from './event.ts';
import type { EventFilter } from './filter.ts';

/** The event log, within a transaction. */
export interface EventStore {
  /** Appends the events in the order given. Durable when the transaction commits. */
  append(events: readonly NewEvent[]): Promise<readonly Event[]>;
  /** The company's event, or null when unknown or another company's. */
  find(company_id: number, id: number): Promise<Event | null>;
  /**
   * The company's events that meet every filter, newest first. The cursor holds the last id, so a page is as cheap at any
   * depth as at the first. Refuses (`invalid_query`) a cursor that it did not make.
   */
  list(company_id: number, filters: readonly EventFilter[], page: PageRequest): Promise<Page<Event>>;
}

/** What the use cases of this package need of a transaction. */
export interface EventsTx {
  readonly events: EventStore;
}
