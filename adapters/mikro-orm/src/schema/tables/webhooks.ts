import { defineEntity, p } from '@mikro-orm/core';
import type { DeliveryState, WebhookStatus } from '@tallystick/events';
import { givenId, id, int } from './columns.ts';

export const Webhook = defineEntity({
  name: 'Webhook',
  tableName: 'tallystick_webhooks',
  properties: {
    id: id(),
    company_id: int(),
    callback_url: p.text(),
    event_type_ids: p.text(),
    status: p.text().$type<WebhookStatus>(),
    secret_sealed: p.uint8array(),
    previous_secret_sealed: p.uint8array().nullable(),
    previous_secret_until_ms: int().nullable(),
    last_sequence: int(),
    created_at_ms: int(),
    failures_in_a_row: int().defaultRaw('0'),
    failing_since_ms: int().nullable(),
  },
  indexes: [{ name: 'tallystick_webhooks_page', properties: ['company_id', 'id'] }],
});

/** One row per event type of a webhook. An alias is stored as the type that it stands for. */
export const WebhookEventType = defineEntity({
  name: 'WebhookEventType',
  tableName: 'tallystick_webhook_event_types',
  properties: {
    company_id: givenId(),
    event_type_id: givenId(),
    webhook_id: int(),
  },
  indexes: [{ name: 'tallystick_webhook_event_types_webhook', properties: ['webhook_id'] }],
});

export const Delivery = defineEntity({
  name: 'Delivery',
  tableName: 'tallystick_deliveries',
  properties: {
    id: id(),
    company_id: int(),
    webhook_id: int(),
    event_id: int(),
    sequence: int(),
    event_type: p.text(),
    state: p.text().$type<DeliveryState>(),
    attempts: int(),
    round_started_at_ms: int().nullable(),
    round_attempts: int(),
    due_at_ms: int().nullable(),
    created_at_ms: int(),
    finished_at_ms: int().nullable(),
    lease: p.text().nullable(),
    lease_until_machine_ms: int().nullable(),
    round: int().defaultRaw('1'),
  },
  indexes: [
    { name: 'tallystick_deliveries_page', properties: ['webhook_id', 'id'] },
    { name: 'tallystick_deliveries_due', properties: ['webhook_id', 'due_at_ms', 'id'], where: "state = 'pending'" },
    { name: 'tallystick_deliveries_failed', properties: ['webhook_id', 'id'], where: "state = 'failed'" },
    { name: 'tallystick_deliveries_event', properties: ['event_id'] },
    { name: 'tallystick_deliveries_finished', properties: ['finished_at_ms'], where: "state <> 'pending'" },
  ],
  uniques: [{ name: 'tallystick_deliveries_sequence', properties: ['webhook_id', 'sequence'] }],
});

export const DeliveryAttempt = defineEntity({
  name: 'DeliveryAttempt',
  tableName: 'tallystick_delivery_attempts',
  properties: {
    delivery_id: givenId(),
    number: givenId(),
    at_ms: int(),
    signature: p.text(),
    status: int().nullable(),
    error: p.text().nullable(),
    duration_ms: int(),
    excerpt: p.text().nullable(),
    retry_after: p.text().nullable(),
  },
  indexes: [{ name: 'tallystick_delivery_attempts_age', properties: ['at_ms'] }],
});
