export * from './log/event-log.ts';
export {
  type EventType,
  event_types,
  event_types_without_id,
  toCanonicalTypeId,
  toStoredName,
} from './log/event-type.ts';
export {
  type EventFilter,
  type FilterField,
  type FilterName,
  filter_fields,
  filter_value_forms,
  indexed_text_max,
} from './log/filter.ts';
export * from './log/foreign-event.ts';
export { type IndexedValues, indexedValuesOf, matches } from './log/indexed-values.ts';
export * from './log/parse-filters.ts';
export type { EventListener } from './subscriptions/listeners.ts';
export * from './subscriptions/ports.ts';
export type { SubscriptionHandler } from './subscriptions/position-commit.ts';
export { type SubscribeOptions, subscribable_types } from './subscriptions/subscribe-arguments.ts';
export * from './subscriptions/subscriber.ts';
export type { SubscriptionTx } from './subscriptions/subscription-tx.ts';
export type { SubscriptionFailure } from './subscriptions/subscription-work.ts';
export * from './webhooks/courier.ts';
export {
  type Attempt,
  afterAttempt,
  type Delivery,
  type DeliveryState,
  deliveries_kept_days_default,
  delivery_states,
} from './webhooks/delivery.ts';
export {
  type RequestSigner,
  requestSigner,
  type SignedReceiver,
  type SignRequest,
  sentHeaders,
  signatureOf,
} from './webhooks/delivery-request.ts';
export * from './webhooks/manage-deliveries.ts';
export * from './webhooks/manage-webhooks.ts';
export * from './webhooks/ports.ts';
export * from './webhooks/relay.ts';
export { attempt_offsets_ms } from './webhooks/retry-schedule.ts';
export * from './webhooks/secret-form.ts';
export * from './webhooks/test-webhook.ts';
export {
  callback_url_length_max,
  readCallbackUrl,
  refuseTakenType,
  type Webhook,
  type WebhookRequestInput,
  type WebhookStatus,
  webhook_statuses,
} from './webhooks/webhook.ts';
export * from './webhooks/webhook-health.ts';
export {
  addSecretProblem,
  firstSecret,
  type HeldSecrets,
  resealHeld,
  resealWebhookSecrets,
  rotatedSecret,
  sealWebhookSecret,
} from './webhooks/webhook-secret.ts';
export * from './webhooks/webhook-sender.ts';
