import type { Event, NewEvent } from '@tallystick/events';
import type { Selectable } from 'kysely';
import { parseOrNull, type Tables } from '../../connection/session.ts';

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
    payload: JSON.parse(row.payload) as NewEvent['payload'],
    previous: parseOrNull<NonNullable<NewEvent['previous']>>(row.previous),
  };
}
