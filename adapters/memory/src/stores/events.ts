import { type Event, type EventStore, matches } from '@tallystick/events';
import { newestFirst } from '../storage/paging.ts';
import type { State } from '../storage/state.ts';

/** The event log. */
export function eventStore(state: State): EventStore {
  const { events } = state;
  return {
    async append(fresh) {
      return fresh.map((event) => appendEvent(state, { ...event, id: events.nextId() }));
    },
    async find(company_id, id) {
      const event = events.get(id);
      return event?.company_id === company_id ? event : null;
    },
    async list(company_id, filters, page) {
      const met = events
        .values()
        .filter((event) => event.company_id === company_id && filters.every((filter) => matches(event, filter)));
      return newestFirst('events', met, page);
    },
  };
}

/**
 * Writes an event that already has its id, and adds it to the outbox. The event log and the ledger
 * both write events this way.
 */
export function appendEvent({ events, outbox }: State, event: Event): Event {
  const { id, company_id, event_type } = event;
  outbox.set(id, { id, company_id, event_type });
  return events.set(id, event);
}
