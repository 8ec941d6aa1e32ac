import { type DeliveryReading, isFailing, sentHeaders, type Webhook, type WebhookState } from '@tallystick/events';
import { toInstantText } from '@tallystick/kernel';
import { type Shown, showAs } from '../fields.ts';
import { attempt, delivery, webhook, webhook_overview } from './shapes.ts';

const path = '/v1/webhooks';

/** A webhook as answers show it. Its secret is shown only on creation and rotation. */
export function presentWebhook(found: Webhook, secret: string | null = null) {
  return showAs(webhook, { ...found, ...presentMinimalWebhook(found), secret });
}

/** A webhook with its state. Its secret is not shown. */
export function presentOverview({ webhook: found, health, backlog, oldest_due_at_ms, recent }: WebhookState) {
  const { failures_in_a_row, failing_since_ms } = health;
  return showAs(webhook_overview, {
    ...found,
    id: String(found.id),
    failing: isFailing(found.status, health),
    failures_in_a_row,
    failing_since: failing_since_ms === null ? null : toInstantText(failing_since_ms),
    backlog,
    oldest_due_at: oldest_due_at_ms === null ? null : toInstantText(oldest_due_at_ms),
    recent,
    created_at: toInstantText(found.created_at_ms),
    type: 'webhook',
  });
}

/** The fields of a webhook in lists and with `Prefer: return-minimal`. */
export function presentMinimalWebhook({ id }: Webhook) {
  return { id: String(id), type: 'webhook' as const, url: `${path}/${id}` };
}

export function presentDelivery({ delivery: found, attempts }: DeliveryReading) {
  return showAs(delivery, {
    ...found,
    id: String(found.id),
    event_id: String(found.event_id),
    event_type: found.event_type as Shown<typeof delivery>['event_type'],
    next_attempt_at: found.due_at_ms === null ? null : toInstantText(found.due_at_ms),
    created_at: toInstantText(found.created_at_ms),
    attempts: attempts.map((one) => {
      const headers = sentHeaders(found, one);
      return showAs(attempt, { ...one, headers, at: toInstantText(one.at_ms), answer: one.excerpt });
    }),
    type: 'delivery',
    url: `${path}/${found.webhook_id}/deliveries/${found.id}`,
  });
}
