import { type FilterName, filter_fields, indexedValuesOf, type NewEvent } from '@tallystick/events';
import { type ColumnKind, columnsOf } from '../tables/columns.ts';
import { Event, event_filter_columns } from '../tables/events.ts';
import { storedPayload } from './stored-payload.ts';

const payload_filters = (Object.keys(filter_fields) as FilterName[]).filter(
  (name) => filter_fields[name].payload_key !== null,
);

export const event_columns: Readonly<Record<string, ColumnKind>> = columnsOf(Event);

/** The row of an event. Each value that a filter of the payload compares has a column. */
export function eventRecord(event: NewEvent & { readonly id: number }): Record<string, unknown> {
  const { id, company_id, event_type, created_at_ms, request_id, payload, previous } = event;
  const record: Record<string, unknown> = {
    id,
    company_id,
    event_type,
    created_at_ms,
    request_id,
    payload: storedPayload(payload),
    previous,
  };
  const indexed = indexedValuesOf(event);
  for (const name of payload_filters) record[event_filter_columns[name]] = indexed[name] ?? null;
  return record;
}
