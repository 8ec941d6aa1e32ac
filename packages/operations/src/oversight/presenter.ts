import type { CardReading } from '@tallystick/cards';
import type { DeliveryReading, WebhookState } from '@tallystick/events';
import { type RecordedAuditEntry, toInstantText } from '@tallystick/kernel';
import { showAs } from '../fields.ts';
import { presentVirtualCard } from '../virtual-cards/presenter.ts';
import { presentDelivery, presentOverview } from '../webhooks/presenter.ts';
import { audit_entry, card_of_all, delivery_of_all, operator_attempt } from './shapes.ts';

/** A webhook of any company, with its state, as operators see it. Secrets are not shown. */
export function presentWebhookState(state: WebhookState) {
  return { ...presentOverview(state), company_id: state.webhook.company_id };
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
