import type { Delivery, DeliveryReading, Webhook } from '@tallystick/events';
import { toInstantText } from '@tallystick/kernel';

const path = '/v1/webhooks';

/** The fields of a webhook as answers show it. */
export type WebhookResource = ReturnType<typeof presentWebhook>;

/** The fields of a delivery as answers show it. */
export type DeliveryResource = ReturnType<typeof presentDelivery>;

/** A webhook as answers show it. Its secret is shown only on creation and rotation. */
export function presentWebhook(one: Webhook, secret: string | null = null) {
  const { event_type_ids, status, callback_url } = one;
  return { ...presentMinimalWebhook(one), event_type_ids, secret, status, callback_url };
}

/** The fields of a webhook in lists and with `Prefer: return-minimal`. */
export function presentMinimalWebhook({ id }: Webhook) {
  return { id: String(id), type: 'webhook' as const, url: `${path}/${id}` };
}

/** A delivery as answers show it. */
export function presentDelivery({ delivery: one, attempts }: DeliveryReading) {
  return {
    ...minimalOf(one),
    event_id: String(one.event_id),
    event_type: one.event_type,
    sequence: one.sequence,
    state: one.state,
    next_attempt_at: one.due_at_ms === null ? null : toInstantText(one.due_at_ms),
    created_at: toInstantText(one.created_at_ms),
    attempts: attempts.map(({ number, at_ms, status, error, duration_ms, excerpt, retry_after }) => ({
      number,
      at: toInstantText(at_ms),
      status,
      error,
      duration_ms,
      answer: excerpt,
      retry_after,
    })),
  };
}

function minimalOf({ id, webhook_id }: Delivery) {
  return { id: String(id), type: 'delivery' as const, url: `${path}/${webhook_id}/deliveries/${id}` };
}
