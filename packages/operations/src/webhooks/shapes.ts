import {
  backlog_max,
  callback_url_length_max,
  delivery_states,
  event_types,
  failures_until_failing,
  recent_max,
  recovered_max,
  webhook_secret_expected,
  webhook_statuses,
} from '@tallystick/events';
import { shared_secret_length_max, shared_secret_length_min } from '@tallystick/kernel';
import * as z from 'zod';
import { event_type_name } from '../events/shapes.ts';
import {
  created_at,
  id_number,
  id_text,
  instant,
  resource_url,
  resourceType,
  shown_instant,
  text_or_null,
  type_names,
} from '../fields.ts';

const event_type_ids = z
  .array(id_number.meta({ enum: event_types.map(({ id }) => id) }))
  .max(100)
  .describe('The ids of the event types that trigger it; 1 is all');

const status = z
  .enum(webhook_statuses)
  .describe('Only active webhooks are triggered')
  .register(type_names, { id: 'WebhookStatus' });

export const delivery_state = z
  .enum(delivery_states)
  .describe('`pending`: it is or will be attempted. `failed`: it is not attempted any more, unless it is sent again')
  .register(type_names, { id: 'DeliveryState' });

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
      callback_url: callback_url
        .regex(/^[Hh][Tt][Tt][Pp][Ss]:/)
        .describe('Where events are posted to: an https URL on a public address'),
      event_type_ids: event_type_ids
        .nullish()
        .describe('The ids of the event types that trigger it; 1 is all; null: none'),
      secret: z
        .string()
        .min(shared_secret_length_min)
        .max(shared_secret_length_max)
        .nullish()
        .describe(`Signs the deliveries: ${webhook_secret_expected}. Null: the service creates one`),
      status: status.nullish().describe('Only active webhooks are triggered; null: active'),
    }),
  })
  .meta({
    id: 'CreateWebhook',
    description: 'A new webhook',
    examples: [{ data: { callback_url: 'https://hooks.example.com/tallystick', event_type_ids: [6, 7] } }],
  });

/** `PATCH /v1/webhooks/:id`. */
export const update_webhook = z
  .object({
    data: z.object({
      event_type_ids: event_type_ids
        .nullish()
        .describe('The ids of the event types that trigger it; 1 is all; null: none'),
      status: status.nullish().describe('Only active webhooks are triggered; null: active'),
      callback_url: z.unknown().optional().describe('Cannot be changed. Only its present value is accepted'),
      secret: z.unknown().optional().describe('Cannot be changed; rotate it. Null and its present value are accepted'),
    }),
  })
  .meta({
    id: 'UpdateWebhook',
    description: 'A change of a webhook. What is absent stays, and null resets a field to its default',
    examples: [{ data: { status: 'inactive' } }],
  });

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
    callback_url: callback_url.describe('Where events are posted to'),
    type: resourceType('webhook'),
    url: resource_url,
  })
  .meta({ id: 'Webhook', description: 'A webhook' });

export const webhook_state = webhook
  .pick({ id: true, callback_url: true, event_type_ids: true, status: true })
  .meta({ id: 'WebhookState' });

const recent_count = z.int().min(0).max(recent_max);

/** `GET /v1/webhooks/states`. */
export const webhook_overview = webhook
  .omit({ secret: true, url: true })
  .extend({
    failing: z.boolean().describe(`Active, and its last ${failures_until_failing} attempts failed`),
    failures_in_a_row: z.int().min(0).describe('The failed attempts since the last success'),
    failing_since: shown_instant.nullable().describe('When the first of them was made, UTC; null: there are none'),
    backlog: z.int().min(0).max(backlog_max).describe(`Its pending deliveries; ${backlog_max}: so many or more`),
    oldest_due_at: shown_instant.nullable().describe('When the first of them is or was due, UTC; null: there are none'),
    recent: z
      .object({
        pending: recent_count.describe('Those that are or will be attempted'),
        succeeded: recent_count.describe('Those that were answered with 2xx'),
        failed: recent_count.describe('Those that are not attempted any more'),
      })
      .describe(`Its newest ${recent_max} deliveries by state`)
      .register(type_names, { id: 'RecentDeliveries' }),
    created_at,
  })
  .meta({ id: 'WebhookOverview', description: 'A webhook with its state' });

export const webhook_test = z
  .object({
    status: z.int().min(0).max(999).describe('The HTTP status of the callback URL; 0: no answer'),
    error: z.string().optional().describe('Why there was no answer'),
  })
  .meta({ id: 'WebhookTest', description: 'The result of a test delivery' });

export const attempt = z
  .object({
    number: z.int().min(1).describe('1 for the first attempt'),
    at: shown_instant.describe("When it began, by the service's clock, UTC"),
    headers: z
      .record(z.string(), z.string())
      .describe('The headers of the request as it was sent, with its signatures; names in lower case'),
    status: z.int().min(100).max(999).nullable().describe('The HTTP status of the callback URL; null: no answer'),
    error: text_or_null.describe('Why there was no answer; null: there was one'),
    duration_ms: z.int().min(0).describe('Milliseconds until the answer, or until none was expected any more'),
    answer: text_or_null.describe('The first 4 KiB of the answer; null: no answer'),
    retry_after: text_or_null.describe('The Retry-After header of the answer; null: it had none. It is ignored'),
  })
  .describe('An attempt of a delivery')
  .register(type_names, { id: 'DeliveryAttempt' });

export const delivery = z
  .object({
    id: id_text,
    event_id: id_text.describe('The event, by its id in the log'),
    event_type: event_type_name.describe('The name that the webhook subscribed to'),
    sequence: z.int().min(1).describe('Its number among the deliveries of the webhook: `X-Webhook-Sequence`'),
    state: delivery_state,
    next_attempt_at: shown_instant.nullable().describe('When it is attempted next, UTC; null unless it is pending'),
    created_at,
    attempts: z.array(attempt).describe('In the order in which they were made'),
    type: resourceType('delivery'),
    url: resource_url,
  })
  .meta({ id: 'Delivery', description: 'The delivery of an event to a webhook' });

/** `GET /v1/webhooks/:id/deliveries/:delivery_id`. */
export const delivery_with_body = delivery
  .extend({
    body: z.string().describe('What is posted, the same bytes at every attempt: JSON that the signature covers'),
  })
  .meta({
    id: 'DeliveryWithBody',
    description: 'The delivery of an event to a webhook, with the body of its requests',
  });

/** `POST /v1/webhooks/:id/recover`. */
export const recover = z
  .object({
    data: z.object({ since: instant.describe('The deliveries that failed at this instant or later are sent again') }),
  })
  .meta({
    id: 'RecoverDeliveries',
    description: 'Which deliveries are sent again',
    examples: [{ data: { since: '2026-11-21T00:00:00Z' } }],
  });

export const recovered = z
  .object({ recovered: z.int().min(0).max(recovered_max).describe('The number of deliveries that are sent again') })
  .meta({ id: 'RecoveredDeliveries', description: 'The result of a recovery' });
