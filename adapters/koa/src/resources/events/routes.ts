import { type Event, event_types, listEvents, parseEventFilters, readEvent } from '@tallystick/events';
import * as z from 'zod';
import { list, type MinimalItem, resource } from '../../answer/answer.ts';
import { readFilters } from '../../request/query.ts';
import { clientCall, type Route, route } from '../../request/route.ts';
import { event_filter } from './filter-shape.ts';
import { presentEvent } from './presenter.ts';
import { event, event_type } from './shapes.ts';

const of_events = { area: 'events', tag: 'Events' } as const;

/** `/v1/events` (service specification 4.3). */
export function eventRoutes(): readonly Route[] {
  return [
    route({
      ...of_events,
      method: 'GET',
      path: '/v1/events/types',
      operation_id: 'events.types.list',
      summary: 'List the event types',
      answer: z.array(event_type),
      perform: async () => resource(event_types),
    }),
    route({
      ...of_events,
      method: 'GET',
      path: '/v1/events/:id',
      operation_id: 'events.read',
      summary: 'Read an event',
      answer: event,
      async transaction(tx, request) {
        return resource(presentEvent(await readEvent(tx, clientCall(request), request.id)));
      },
    }),
    route({
      ...of_events,
      method: 'GET',
      path: '/v1/events',
      operation_id: 'events.list',
      summary: 'List events, newest first',
      description: 'Several filters are ANDed. A range is [from,to] with both ends included. Either end may be empty.',
      // The events package checks its filters. Its refusal of an unknown filter suggests the
      // intended one.
      query: { paged: true, filters: () => true },
      filter: event_filter,
      answer: z.array(event),
      async transaction(tx, request) {
        const { query } = request;
        const page = await listEvents(tx, clientCall(request), readFilters(query, parseEventFilters), query.page);
        return list(query, page, presentEvent, presentMinimalEvent);
      },
    }),
  ];
}

function presentMinimalEvent({ id }: Event): MinimalItem {
  return { id: String(id), type: 'event', url: `/v1/events/${id}` };
}
