import { event_types, listEvents, parseEventFilters, readEvent, recordForeignEvent } from '@tallystick/events';
import * as z from 'zod';
import { readFilters } from '../call/query.ts';
import { callFor, companyCall, type Operation, operation, present, requireCompany } from '../operation.ts';
import { presentEvent } from './presenter.ts';
import { event, event_filter, event_type, foreign_event, foreign_event_record } from './shapes.ts';

/** `/v1/events` (service specification 4.3). */
export function eventOperations(): readonly Operation[] {
  return [
    operation('events', {
      id: 'events.types.list',
      method: 'company.events.types',
      summary: 'List the event types',
      description: 'Those that webhooks can subscribe to.',
      runs_alone: 'it reads no database',
      only_reads: true,
      answer: z.array(event_type),
      perform: async () => event_types.map((type) => ({ ...type })),
    }),
    operation('events', {
      id: 'events.read',
      summary: 'Read an event',
      parameters: ['id'],
      answer: event,
      async read(tx, call) {
        return presentEvent(await readEvent(tx, companyCall(call), call.id));
      },
    }),
    operation('events', {
      id: 'events.list',
      summary: 'List events, newest first',
      description: 'Several filters are ANDed. A range is [from,to] with both ends included. Either end may be empty.',
      // The events package checks its filters. Its refusal of an unknown filter suggests the
      // intended one.
      query: { paged: true, filter: event_filter, other_filters: /^/ },
      answer: z.array(event),
      async read(tx, call) {
        const { query } = call;
        const page = await listEvents(tx, companyCall(call), readFilters(query, parseEventFilters), query.page);
        return present(page, presentEvent);
      },
    }),
    operation('foreign_events', {
      id: 'operator.events.record',
      summary: 'Record an event of another system',
      description:
        'Anything that could be a card number is masked except for its last four digits. A masked JSON number becomes text.',
      body: foreign_event,
      takes_back: foreign_event_record,
      answer: foreign_event_record,
      async write(tx, call) {
        const { company_id, ...record } = call.body.data;
        await requireCompany(tx, company_id);
        return presentEvent(await recordForeignEvent(tx, callFor(call, company_id), record));
      },
    }),
  ];
}
