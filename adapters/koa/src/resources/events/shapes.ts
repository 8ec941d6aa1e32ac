import * as z from 'zod';
import { id_either, id_number, id_text } from '../fields.ts';

/** An event as answers show it (service specification 2.4). */
export const event = z
  .object({
    id: id_text,
    event_type: z.string(),
    payload: z.record(z.string(), z.unknown()).describe('State of the object that changed'),
    previous: z.record(z.string(), z.unknown()).nullable().describe('State before; null: the object was created'),
    created_at: z.string(),
    type: z.literal('event'),
    url: z.string(),
  })
  .meta({ id: 'Event' });

/** An event type (service specification 2.5). */
export const event_type = z.object({ id: id_number, name: z.string() }).meta({ id: 'EventType' });

/** `POST /operator/v1/events`: an event that happened elsewhere. */
export const foreign_event = z
  .object({
    data: z.object({
      company_id: id_either,
      event_type: z
        .string()
        .describe('ach.status, ach.status.advice, ach.$$limit.exceeded or onboarding.company.status'),
      payload: z.record(z.string(), z.unknown()),
      previous: z.record(z.string(), z.unknown()).nullish(),
    }),
  })
  .meta({
    id: 'ForeignEvent',
    examples: [
      {
        data: {
          company_id: 1,
          event_type: 'ach.status',
          payload: { id: 77, return_code: 'R01', status: 'failed' },
          previous: { id: 77, return_code: null, status: 'pending' },
        },
      },
    ],
  });
