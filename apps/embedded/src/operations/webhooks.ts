import type { CallOptions, Id, TransactionOptions } from './call-options.ts';
import type { EventTypeName } from './events.ts';
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
  list(options?: ListOptions): List<ListedWebhook>;
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

/** A new webhook. */
export interface CreateWebhook {
  /** An https URL on a public address. */
  readonly callback_url: string;
  /** Ids of `events.types`; 1 is all. */
  readonly event_type_ids?: readonly number[] | null | undefined;
  /**
   * Signs the deliveries: text of 16 to 256 characters; after whsec_, the padded base64 of at least
   * 16 bytes. Absent: the service creates one.
   */
  readonly secret?: string | null | undefined;
  /** Default active. */
  readonly status?: WebhookStatus | null | undefined;
}

/** A webhook (service specification 2.6). */
export interface Webhook {
  /** Digits. */
  readonly id: string;
  /** Ids of `events.types`; 1 is all. */
  readonly event_type_ids: readonly number[];
  /** Shown on creation and rotation only, else null. */
  readonly secret: string | null;
  readonly status: WebhookStatus;
  /** Where events are posted to. */
  readonly callback_url: string;
  readonly type: 'webhook';
  /** Its path in the HTTP interface. */
  readonly url: string;
}

/** A change of a webhook. What is absent stays, and null resets a field to its default. */
export interface UpdateWebhook {
  /** Ids of `events.types`; 1 is all; null: none. */
  readonly event_type_ids?: readonly number[] | null | undefined;
  /** Null: active. */
  readonly status?: WebhookStatus | null | undefined;
  /** Cannot be changed. Only its present value is accepted. */
  readonly callback_url?: unknown;
  /** Cannot be changed; rotate it. Null and its present value are accepted. */
  readonly secret?: unknown;
}

/** The result of a test delivery. */
export interface WebhookTest {
  /** The HTTP status of the callback URL; 0: no answer. */
  readonly status: number;
  /** Why there was no answer. */
  readonly error?: string | undefined;
}

/** An attempt of a delivery, as operators see it. */
export interface OperatorAttempt {
  readonly number: number;
  /** ISO 8601, UTC. */
  readonly at: string;
  /** The HTTP status of the callback URL; null: no answer. */
  readonly status: number | null;
  /** Why there was no answer. */
  readonly error: string | null;
  readonly duration_ms: number;
  /** The Retry-After header of the answer. It is ignored. */
  readonly retry_after: string | null;
}

/** An attempt of a delivery. */
export interface DeliveryAttempt extends OperatorAttempt {
  /** The first 4 KiB of the answer. */
  readonly answer: string | null;
}

/** What every view of a delivery shows. */
interface DeliveryBase<Attempt> {
  /** Digits. */
  readonly id: string;
  /** The event. */
  readonly event_id: string;
  /** The name that the webhook subscribed to. */
  readonly event_type: EventTypeName;
  /** X-Webhook-Sequence. */
  readonly sequence: number;
  readonly state: DeliveryState;
  /** Null unless the delivery is pending; ISO 8601, UTC. */
  readonly next_attempt_at: string | null;
  /** When it was created; ISO 8601, UTC. */
  readonly created_at: string;
  /** In the order in which they were made. */
  readonly attempts: readonly Attempt[];
  readonly type: 'delivery';
}

/** The delivery of an event to a webhook. */
export interface Delivery extends DeliveryBase<DeliveryAttempt> {
  /** Its path in the HTTP interface. */
  readonly url: string;
}

/** Which deliveries are sent again. */
export interface RecoverDeliveries {
  /** ISO 8601, with an offset. */
  readonly since: string;
}

/** The result of a recovery. */
export interface RecoveredDeliveries {
  /** The number of deliveries that are sent again. */
  readonly recovered: number;
}

/** A webhook in a list. */
export interface ListedWebhook {
  readonly id: string | number;
  readonly type: string;
  /** Its path in the HTTP interface. */
  readonly url: string;
}

/** Only active webhooks are triggered. */
export type WebhookStatus = 'active' | 'inactive';

/** The state of a delivery. */
export type DeliveryState = 'pending' | 'succeeded' | 'failed';

/** A webhook with its state, as operators see it. */
export interface OperatorWebhook {
  /** Digits. */
  readonly id: string;
  /** The company. */
  readonly company_id: number;
  readonly callback_url: string;
  /** Ids of `events.types`; 1 is all. */
  readonly event_type_ids: readonly number[];
  readonly status: WebhookStatus;
  /** Active, and its last 3 attempts failed. */
  readonly failing: boolean;
  /** The failed attempts since the last success. */
  readonly failures_in_a_row: number;
  /** When the first of them was made; ISO 8601, UTC. */
  readonly failing_since: string | null;
  /** Its pending deliveries; 1000: so many or more. */
  readonly backlog: number;
  /** When the first of them is or was due; ISO 8601, UTC. */
  readonly oldest_due_at: string | null;
  /** When it was created; ISO 8601, UTC. */
  readonly created_at: string;
  readonly type: 'webhook';
}

/** A delivery, as operators see it. */
export interface OperatorDelivery extends DeliveryBase<OperatorAttempt> {
  /** The company. */
  readonly company_id: number;
  readonly webhook_id: number;
}
