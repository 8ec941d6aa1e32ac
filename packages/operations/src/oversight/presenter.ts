import { type DeliveryReading, isFailing, type WebhookState } from '@tallystick/events';
import { type RecordedAuditEntry, toInstantText } from '@tallystick/kernel';
import { presentDelivery } from '../webhooks/presenter.ts';

/** A webhook of any company, with its state, as operators see it. Secrets are not shown. */
export function presentWebhookState({ webhook, health, backlog, oldest_due_at_ms }: WebhookState) {
  const { failures_in_a_row, failing_since_ms } = health;
  return {
    id: String(webhook.id),
    company_id: webhook.company_id,
    callback_url: webhook.callback_url,
    event_type_ids: webhook.event_type_ids,
    status: webhook.status,
    failing: isFailing(webhook.status, health),
    failures_in_a_row,
    failing_since: failing_since_ms === null ? null : toInstantText(failing_since_ms),
    backlog,
    oldest_due_at: oldest_due_at_ms === null ? null : toInstantText(oldest_due_at_ms),
    created_at: toInstantText(webhook.created_at_ms),
    type: 'webhook' as const,
  };
}

/** A delivery of any company, as operators see it: without what the receiver answered. */
export function presentDeliveryOfAll(reading: DeliveryReading) {
  const { url: _url, attempts, ...shown } = presentDelivery(reading);
  const { company_id, webhook_id } = reading.delivery;
  return { ...shown, company_id, webhook_id, attempts: attempts.map(({ answer: _answer, ...attempt }) => attempt) };
}

/** An entry of the audit log. */
export function presentAuditEntry({ id, at_ms, ...entry }: RecordedAuditEntry) {
  return { id: String(id), at: toInstantText(at_ms), ...entry, type: 'audit_entry' as const };
}
