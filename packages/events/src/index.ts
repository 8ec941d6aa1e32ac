export * from './courier.ts';
export { type Attempt, afterAttempt, type Delivery, type DeliveryState, delivery_states } from './delivery.ts';
export * from './event.ts';
export * from './event-log.ts';
export { canonicalTypeId, type EventType, event_types } from './event-type.ts';
export { type EventFilter, type FilterField, type FilterName, filter_fields } from './filter.ts';
export * from './foreign-event.ts';
export { type IndexedValues, indexedValues, matches } from './indexed-values.ts';
export * from './manage-deliveries.ts';
export * from './manage-webhooks.ts';
export * from './parse-filters.ts';
export * from './ports.ts';
export { relayEvents } from './relay.ts';
export { attempt_offsets_ms } from './retry-schedule.ts';
export { deliverySignature, type SigningInput, type SigningSecrets, signatureHeaders } from './signature.ts';
export * from './test-webhook.ts';
export {
  type CallbackUrlPolicy,
  typeTaken,
  type Webhook,
  type WebhookRequestInput,
  type WebhookStatus,
  webhook_statuses,
} from './webhook.ts';
export * from './webhook-ports.ts';
export { resealWebhookSecrets, sealWebhookSecret } from './webhook-secret.ts';
export * from './webhook-sender.ts';
