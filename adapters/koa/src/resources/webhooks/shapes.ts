import {
  callback_url_length_max,
  delivery_states,
  event_types,
  recovered_max,
  webhook_secret_expected,
  webhook_statuses,
} from '@tallystick/events';
import { shared_secret_length_max, shared_secret_length_min } from '@tallystick/kernel';
import { id_number, id_text, instant, resource_url, type ShapeOf, shown_instant } from '@tallystick/operations';
import * as z from 'zod';
import { delivered_names } from '../events/shapes.ts';
import type { DeliveryResource, WebhookResource } from './presenter.ts';

const event_type_ids = z
  .array(id_number.meta({ enum: event_types.map(({ id }) => id) }))
  .max(100)
  .describe('Ids of /v1/events/types; 1 is all');

const status = z.enum(webhook_statuses);

/** The check of a registration. The domain checks the values and names every invalid one. */
export const webhook_registration = z.object({
  data: z.object({
    callback_url: z.string().nullish(),
    event_type_ids: event_type_ids.nullish(),
    secret: z.string().nullish(),
    status: z.string().nullish(),
  }),
});

/** The check of a change. It accepts the URL and the secret, so that they are refused by name. */
export const webhook_change = z.object({
  data: z.object({
    event_type_ids: event_type_ids.nullish(),
    status: z.string().nullish(),
    callback_url: z.unknown().optional(),
    secret: z.unknown().optional(),
  }),
});

const callback_url = z.string().max(callback_url_length_max).meta({ format: 'uri' });

/** `POST /v1/webhooks`. */
export const create_webhook = z
  .object({
    data: z.object({
      callback_url: callback_url.regex(/^[Hh][Tt][Tt][Pp][Ss]:/).describe('An https URL on a public address'),
      event_type_ids: event_type_ids.nullish(),
      secret: z
        .string()
        .min(shared_secret_length_min)
        .max(shared_secret_length_max)
        .nullish()
        .describe(`Signs the deliveries: ${webhook_secret_expected}. Absent: the service creates one`),
      status: status.nullish().describe('Default active'),
    }),
  })
  .meta({
    id: 'CreateWebhook',
    examples: [{ data: { callback_url: 'https://hooks.example.com/tallystick', event_type_ids: [6, 7] } }],
  });

/** `PATCH /v1/webhooks/:id`. */
export const update_webhook = z
  .object({
    data: z.object({
      event_type_ids: event_type_ids.nullish().describe('Ids of /v1/events/types; 1 is all; null: none'),
      status: status.nullish().describe('Null: active'),
      callback_url: z.unknown().optional().describe('Cannot be changed. Only its present value is accepted'),
      secret: z.unknown().optional().describe('Cannot be changed; rotate it. Null and its present value are accepted'),
    }),
  })
  .meta({ id: 'UpdateWebhook', examples: [{ data: { status: 'inactive' } }] });

/** A webhook as answers show it (service specification 2.6). */
export const webhook = z
  .object({
    id: id_text,
    event_type_ids,
    secret: z
      .string()
      .max(shared_secret_length_max)
      .nullable()
      .describe('Shown on creation and rotation only, else null'),
    status,
    callback_url,
    type: z.literal('webhook'),
    url: resource_url,
  } satisfies ShapeOf<WebhookResource>)
  .meta({ id: 'Webhook' });

/** A webhook as a test delivery shows it. */
export const webhook_state = webhook
  .pick({ id: true, callback_url: true, event_type_ids: true, status: true })
  .meta({ id: 'WebhookState' });

/** The answer of the callback URL to a test delivery. */
export const webhook_test = z
  .object({
    status: z.int().min(0).max(999).describe('The HTTP status of the callback URL; 0: no answer'),
    error: z.string().optional().describe('Why there was no answer'),
  })
  .meta({ id: 'WebhookTest' });

export const attempt = z.object({
  number: z.int().min(1),
  at: shown_instant,
  status: z.int().min(100).max(999).nullable().describe('The HTTP status of the callback URL; null: no answer'),
  error: z.string().nullable().describe('Why there was no answer'),
  duration_ms: z.int().min(0),
  answer: z.string().nullable().describe('The first 4 KiB'),
  retry_after: z.string().nullable().describe('The Retry-After header of the answer. It is ignored'),
} satisfies ShapeOf<DeliveryResource['attempts'][number]>);

/** A delivery with its attempts. */
export const delivery = z
  .object({
    id: id_text,
    event_id: id_text,
    event_type: z.enum(delivered_names).describe('The name that the webhook subscribed to'),
    sequence: z.int().min(1).describe('X-Webhook-Sequence'),
    state: z.enum(delivery_states),
    next_attempt_at: shown_instant.nullable().describe('Null unless the delivery is pending'),
    created_at: shown_instant,
    attempts: z.array(attempt).describe('In the order in which they were made'),
    type: z.literal('delivery'),
    url: resource_url,
  } satisfies ShapeOf<DeliveryResource>)
  .meta({ id: 'Delivery' });

/** `POST /v1/webhooks/:id/recover`. */
export const recover = z
  .object({ data: z.object({ since: instant }) })
  .meta({ id: 'RecoverDeliveries', examples: [{ data: { since: '2026-11-21T00:00:00Z' } }] });

export const recovered = z
  .object({ recovered: z.int().min(0).max(recovered_max).describe('The number of deliveries that are sent again') })
  .meta({ id: 'RecoveredDeliveries' });
