import type { Event, NewEvent } from '@tallystick/events';
import type { Selectable } from 'kysely';
import { parseOrNull, type Tables } from '../../connection/session.ts';
import { payloadOf } from '../../schema/records/stored-payload.ts';

/** The fields that are read from an event's row. */
export const event_fields = [
  'id',
  'company_id',
  'event_type',
  'created_at_ms',
  'request_id',
  'payload',
  'previous',
] as const;

export type EventRow = Pick<Selectable<Tables['tallystick_events']>, (typeof event_fields)[number]>;

export function eventOf(row: EventRow): Event {
  return {
    ...row,
    payload: payloadOf(row.payload),
    previous: parseOrNull<NonNullable<NewEvent['previous']>>(row.previous),
  };
}
