import type { CallOptions, TransactionOptions } from './call-options.ts';
import type {
  CreateWebhook,
  Delivery,
  DeliveryState,
  Id,
  MinimalItem,
  OperatorDelivery,
  OperatorWebhook,
  RecoverDeliveries,
  RecoveredDeliveries,
  UpdateWebhook,
  Webhook,
  WebhookTest,
} from './generated/resources.ts';
import type { CompanyFilter, FilteredListOptions, InstantFilter, List, ListOptions } from './list.ts';

/** The webhooks of a company (service specification 2.6, 4.4). */
export interface WebhookOperations {
  /**
   * Registers a webhook. Only this result and that of `rotateSecret` show the secret. Events older
   * than the webhook are not delivered to it. Refuses (`validation_failed`) a callback URL that is
   * not https, or whose address may not be called.
   */
  create(webhook: CreateWebhook, options?: TransactionOptions): Promise<Webhook>;
  /** Lists the webhooks, newest first, each by its id only: `read` shows the rest. */
  list(options?: ListOptions): List<MinimalItem>;
  /** Reads a webhook. Refuses `not_found`. */
  read(webhook_id: Id, options?: TransactionOptions): Promise<Webhook>;
  /** Changes the event types or the status of a webhook; what is absent stays. */
  update(webhook_id: Id, change: UpdateWebhook, options?: TransactionOptions): Promise<Webhook>;
  /** Deletes a webhook with its deliveries. */
  delete(webhook_id: Id, options?: TransactionOptions): Promise<void>;
  /** Replaces the secret of a webhook. The previous secret also signs for 24 hours. */
  rotateSecret(webhook_id: Id, options?: TransactionOptions): Promise<Webhook>;
  /**
   * Sends a test delivery to a webhook, active or not, and waits for the answer of its callback
   * URL. Takes no `tx`: no transaction is open while a request is sent.
   */
  test(webhook_id: Id, options?: CallOptions): Promise<WebhookTest>;
  readonly deliveries: DeliveryOperations;
}

/** The deliveries of a webhook. */
export interface DeliveryOperations {
  /** Lists the deliveries of a webhook with their attempts, newest first. */
  list(webhook_id: Id, options?: FilteredListOptions<DeliveryFilter>): List<Delivery>;
  /** Reads a delivery with its attempts. Refuses `not_found`. */
  read(webhook_id: Id, delivery_id: Id, options?: TransactionOptions): Promise<Delivery>;
  /** Sends a delivery again, from the start of the schedule. */
  retry(webhook_id: Id, delivery_id: Id, options?: TransactionOptions): Promise<void>;
  /** Sends again the deliveries that failed since an instant, at most 10,000 in one call. */
  recover(webhook_id: Id, failed: RecoverDeliveries, options?: TransactionOptions): Promise<RecoveredDeliveries>;
}

export interface DeliveryFilter {
  readonly state?: DeliveryState | undefined;
}

/** The webhooks of all companies, for the operator. */
export interface OperatorWebhookOperations {
  /** Lists the webhooks of all companies with their state, newest first. */
  list(options?: FilteredListOptions<OperatorWebhookFilter>): List<OperatorWebhook>;
}

/** The deliveries of all companies, for the operator. */
export interface OperatorDeliveryOperations {
  /** Lists the deliveries of all companies with their attempts, newest first. */
  list(options?: FilteredListOptions<OperatorDeliveryFilter>): List<OperatorDelivery>;
}

export interface OperatorWebhookFilter extends CompanyFilter {
  /** True: active, and its last attempts failed. */
  readonly failing?: boolean | undefined;
}

export interface OperatorDeliveryFilter extends CompanyFilter, DeliveryFilter {
  readonly webhook_id?: Id | undefined;
  readonly next_attempt_at?: InstantFilter | undefined;
}
