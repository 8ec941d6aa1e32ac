import type { AuditLog, Lease, Page, PageRequest } from '@tallystick/kernel';
import type { Event } from '../log/event.ts';
import type { Attempt, Delivery, DeliveryState } from './delivery.ts';
import type { Webhook } from './webhook.ts';

/** Webhooks, within a transaction. */
export interface WebhookStore {
  /**
   * Inserts. Within a company an event type stands on one webhook only, active or not; 6 and 10 are one type. Of two
   * racing inserts or updates that claim one type, the second is refused (`refuseTakenType`): they are made one after the other within a
   * company, so that what one gives up is free for the next alone.
   */
  insert(webhook: Omit<Webhook, 'id'>): Promise<Webhook>;
  find(company_id: number, id: number, options?: { readonly for_update?: boolean }): Promise<Webhook | null>;
  /** Newest first. */
  list(company_id: number, page: PageRequest): Promise<Page<Webhook>>;
  /** Writes all but the id, the company and the callback URL; refuses as `insert` does. */
  update(webhook: Webhook): Promise<void>;
  /** Deletes it with its deliveries and their attempts. False when unknown. */
  delete(company_id: number, id: number): Promise<boolean>;
  /** Up to `limit` webhooks of all companies with an id above `after_id`, in id order, held for update. */
  listAfter(after_id: number, limit: number): Promise<readonly Webhook[]>;
}

/** What a relay needs to know of an event; its payload is read when it is sent. */
export type EventToRelay = Pick<Event, 'id' | 'company_id' | 'event_type'>;

/** What the relay needs of a transaction. */
export interface Outbox {
  /**
   * Takes up to `limit` events that no relay has taken, in id order, passing over those that another relay holds. They are taken for
   * good when the transaction commits, and not at all when it rolls back.
   */
  take(limit: number): Promise<readonly EventToRelay[]>;
  /** The same of one company, all of them, waiting for a relay that holds some: afterwards none of its committed events is left. */
  takeAllOf(company_id: number): Promise<readonly EventToRelay[]>;
  /** The active webhooks of the companies, their rows held for update in id order, with the last sequence number given out. */
  activeWebhooks(
    company_ids: readonly number[],
  ): Promise<readonly { readonly webhook: Webhook; readonly last_sequence: number }[]>;
  /** Inserts the deliveries, and remembers the last sequence number of each webhook. */
  enqueue(deliveries: readonly NewDelivery[]): Promise<readonly DeliveryOffer[]>;
}

export type NewDelivery = Omit<Delivery, 'id'>;

/** A delivery that is due, as the queue carries it. */
export interface DeliveryOffer {
  readonly delivery_id: number;
  readonly webhook_id: number;
}

/** Deliveries as clients read and restart them, within a transaction. */
export interface DeliveryStore {
  /** Newest first, each with its attempts in order. */
  list(
    webhook_id: number,
    filter: { readonly state?: DeliveryState },
    page: PageRequest,
  ): Promise<Page<DeliveryReading>>;
  /** With its attempts in order. */
  read(webhook_id: number, id: number): Promise<DeliveryReading | null>;
  find(webhook_id: number, id: number, options?: { readonly for_update?: boolean }): Promise<Delivery | null>;
  /** Writes all but the lease: an attempt in flight is recorded when it ends. */
  update(delivery: Delivery): Promise<void>;
  /** Starts a new round for the deliveries of the webhook that failed at the instant or later, at most `limit`; returns how many. */
  recover(webhook_id: number, since_ms: number, now_ms: number, limit: number): Promise<number>;
  /** Drops attempts made before the instant, and deliveries finished before it; at most `limit` of each; returns how many in all. */
  purge(before_ms: number, limit: number): Promise<number>;
}

export interface DeliveryReading {
  readonly delivery: Delivery;
  readonly attempts: readonly Attempt[];
}

/** A delivery that a worker has claimed, with all that it needs to send it. */
export interface WorkOrder {
  readonly delivery: Delivery;
  readonly webhook: Webhook;
  readonly event: Event;
  /** Proof of the claim. */
  readonly lease: string;
}

/** What a worker has done with a work order. */
export interface WorkResult {
  readonly delivery: Delivery;
  readonly attempt: Attempt;
  readonly lease: string;
}

/** What the use cases of webhooks and deliveries need of a transaction. */
export interface WebhooksTx {
  readonly webhooks: WebhookStore;
  readonly deliveries: DeliveryStore;
  readonly outbox: Outbox;
  readonly audit: AuditLog;
}

/**
 * Where workers claim deliveries and record what became of them: batch-first, each call one transaction of its own.
 * Leases run on machine time, so that moving the sandbox's clock does not end them.
 */
export interface DeliveryDesk {
  /**
   * Leases those of the deliveries that are pending, due, of an active webhook and not leased. A delivery is
   * never leased twice at once, by this or any other process.
   */
  claim(delivery_ids: readonly number[], now_ms: number, lease: Lease): Promise<readonly WorkOrder[]>;
  /**
   * Records attempts and new states, and ends the leases. A result whose lease was lost changes nothing. Of one that bears
   * another round than the delivery has by now the attempt is recorded, and the state stays: a retry began a new round.
   */
  record(results: readonly WorkResult[]): Promise<void>;
  /**
   * Deliveries that could be claimed now, oldest due first within a webhook, at most `per_webhook` of each and `limit` in
   * all; none of the `passed_over` webhooks, of which the caller has enough.
   */
  due(
    now_ms: number,
    machine_ms: number,
    bounds: { readonly per_webhook: number; readonly limit: number; readonly passed_over: readonly number[] },
  ): Promise<readonly DeliveryOffer[]>;
  /** How many deliveries of active webhooks are pending, and when the first of them is or was due. */
  backlog(): Promise<{ readonly pending: number; readonly oldest_due_at_ms: number | null }>;
  /** What there is to do, by whichever process, as one state of the database shows it. */
  workload(now_ms: number, machine_ms: number): Promise<Workload>;
}

/** What is not done yet of the way from committed events to their webhooks. */
export interface Workload {
  /** Events whose deliveries are not committed: no relay has taken them, or one is about to. */
  readonly unrelayed: number;
  /** Of the deliveries of active webhooks that are due: how many wait to be claimed. */
  readonly waiting: number;
  /** And how many are leased. */
  readonly in_flight: number;
}

/**
 * Carries offers of due deliveries from relays and sweeps to workers, in this process or others. It may lose an offer,
 * repeat it or change the order: the database is the truth, and a sweep offers again what is still due. It is given only work that
 * is due, never a delay.
 */
export interface DeliveryQueue {
  /** Never rejects for want of the queue's own infrastructure: what could not be offered is offered by a later sweep. */
  offer(offers: readonly DeliveryOffer[]): Promise<void>;
  /** Hands offers to `accept` until closed. `accept` returns at once. */
  consume(accept: (offers: readonly DeliveryOffer[]) => void): Promise<void>;
  /** Offers that wait. */
  depth(): Promise<number>;
  close(): Promise<void>;
}
