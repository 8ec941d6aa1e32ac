import { delivery_states, webhook_statuses } from '@tallystick/events';
import * as z from 'zod';
import { id_number, id_text, instant } from '../fields.ts';

const event_type_ids = z.array(id_number).max(100).describe('Ids of /v1/events/types; 1 is all');
const status = z.enum(webhook_statuses);

/** `POST /v1/webhooks`. */
export const create_webhook = z
  .object({
    data: z.object({
      callback_url: z.string().nullish().describe('Required: an https URL'),
      event_type_ids: event_type_ids.nullish(),
      secret: z.string().nullish().describe('16 to 256 characters; one is made when absent'),
      status: z.string().nullish().describe('active (the default) or inactive'),
    }),
  })
  .meta({
    id: 'CreateWebhook',
    examples: [{ data: { callback_url: 'https://hooks.example.com/tallystick', event_type_ids: [6, 7] } }],
  });

/** `PATCH /v1/webhooks/:id`. The URL and the secret are taken so that they can be refused by name. */
export const update_webhook = z
  .object({
    data: z.object({
      event_type_ids: event_type_ids.nullish(),
      status: z.string().nullish().describe('active or inactive'),
      callback_url: z.unknown().optional().describe('Cannot be changed'),
      secret: z.unknown().optional().describe('Cannot be changed; rotate it'),
    }),
  })
  .meta({ id: 'UpdateWebhook', examples: [{ data: { status: 'inactive' } }] });

/** A webhook as answers show it (service specification 2.6). */
export const webhook = z
  .object({
    id: id_text,
    event_type_ids,
    secret: z.string().nullable().describe('On creation and rotation only, else null'),
    status,
    callback_url: z.string(),
    type: z.literal('webhook'),
    url: z.string(),
  })
  .meta({ id: 'Webhook' });

export const webhook_item = z
  .object({ id: id_text, type: z.literal('webhook'), url: z.string() })
  .meta({ id: 'WebhookItem' });

/** What the callback URL answered to a test delivery. */
export const webhook_test = z
  .object({
    status: z.int().describe('The HTTP status of the callback URL; 0: none came'),
    error: z.string().optional(),
  })
  .meta({ id: 'WebhookTest' });

/** A delivery with its attempts. */
export const delivery = z
  .object({
    id: id_text,
    event_id: id_text,
    event_type: z.string(),
    sequence: z.int().describe('X-Webhook-Sequence'),
    state: z.enum(delivery_states),
    next_attempt_at: z.string().nullable(),
    created_at: z.string(),
    attempts: z.array(
      z.object({
        number: z.int(),
        at: z.string(),
        status: z.int().nullable(),
        error: z.string().nullable(),
        duration_ms: z.int(),
        answer: z.string().nullable().describe('The first 4 KiB'),
        retry_after: z.string().nullable(),
      }),
    ),
    type: z.literal('delivery'),
    url: z.string(),
  })
  .meta({ id: 'Delivery' });

/** `POST /v1/webhooks/:id/recover`. */
export const recover = z
  .object({ data: z.object({ since: instant }) })
  .meta({ id: 'RecoverDeliveries', examples: [{ data: { since: '2026-11-21T00:00:00Z' } }] });

export const recovered = z
  .object({ recovered: z.int().describe('Deliveries that are sent again') })
  .meta({ id: 'RecoveredDeliveries' });
