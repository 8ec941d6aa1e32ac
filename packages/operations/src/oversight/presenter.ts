import type { CardReading } from '@tallystick/cards';
import { type DeliveryReading, isFailing, type WebhookState } from '@tallystick/events';
import { type RecordedAuditEntry, toInstantText } from '@tallystick/kernel';
import { showAs } from '../fields.ts';
import { presentVirtualCard } from '../virtual-cards/presenter.ts';
import { presentDelivery } from '../webhooks/presenter.ts';
import { audit_entry, card_of_all, delivery_of_all, operator_attempt, webhook_state_of_all } from './shapes.ts';

/** A webhook of any company, with its state, as operators see it. Secrets are not shown. */
export function presentWebhookState({ webhook, health, backlog, oldest_due_at_ms }: WebhookState) {
  const { failures_in_a_row, failing_since_ms } = health;
  return showAs(webhook_state_of_all, {
    ...webhook,
    id: String(webhook.id),
    failing: isFailing(webhook.status, health),
    failures_in_a_row,
    failing_since: failing_since_ms === null ? null : toInstantText(failing_since_ms),
    backlog,
    oldest_due_at: oldest_due_at_ms === null ? null : toInstantText(oldest_due_at_ms),
    created_at: toInstantText(webhook.created_at_ms),
    type: 'webhook',
  });
}

/** A delivery of any company, as operators see it: without what the receiver answered. */
export function presentDeliveryOfAll(reading: DeliveryReading) {
  const shown = presentDelivery(reading);
  const { company_id, webhook_id } = reading.delivery;
  const attempts = shown.attempts.map((one) => showAs(operator_attempt, one));
  return showAs(delivery_of_all, { ...shown, company_id, webhook_id, attempts });
}

/** A card of any company, as operators see it. Its number is masked. */
export function presentCardOfAll(reading: CardReading) {
  const { id, company_id } = reading.card;
  const shown = presentVirtualCard(reading, undefined);
  return showAs(card_of_all, { ...shown, company_id, url: `/operator/v1/virtualcards/${id}` });
}

export function presentAuditEntry(entry: RecordedAuditEntry) {
  return showAs(audit_entry, { ...entry, id: String(entry.id), at: toInstantText(entry.at_ms), type: 'audit_entry' });
}
