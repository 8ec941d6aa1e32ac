import type { AuditLog, Interval, Lease, Page, PageRequest } from '@tallystick/kernel';
import type { Event } from '../log/event-log.ts';
import type { EventFilter } from '../log/filter.ts';
import type { Attempt, Delivery, DeliveryState } from './delivery.ts';
import type { Webhook } from './webhook.ts';
import type { WebhookHealth } from './webhook-health.ts';

export interface WebhookStore {
  /**
   * Inserts a webhook. Within a company only one webhook, active or not, subscribes to an event
   * type; 6 and 10 are one type. If two racing inserts or updates claim one type, the second is
   * refused (`refuseTakenType`). They run one after the other within a company, so a type that one
   * releases is free only for the next.
   */
  insert(webhook: Omit<Webhook, 'id'>): Promise<Webhook>;
  find(company_id: number, id: number, options?: { readonly for_update?: boolean }): Promise<Webhook | null>;
  /** Newest first. */
  list(company_id: number, page: PageRequest): Promise<Page<Webhook>>;
  /** The webhooks of one company or of all, with their state. Newest first. */
  listStates(filter: WebhookStateFilter, page: PageRequest): Promise<Page<WebhookState>>;
  /**
   * Writes all fields except the id, the company and the callback URL; refuses the same as
   * `insert`. Precondition: the webhook was held for update, or inserted, in this transaction.
   */
  update(webhook: Webhook): Promise<void>;
  /**
   * Deletes the webhook with its deliveries and their attempts. Returns false when it is unknown.
   */
  delete(company_id: number, id: number): Promise<boolean>;
  /**
   * Returns up to `limit` webhooks of all companies with an id above `after_id`, in id order, held
   * for update.
   */
  listAfter(after_id: number, limit: number): Promise<readonly Webhook[]>;
}

export interface WebhookStateFilter {
  readonly company_id?: number;
  /** Only webhooks for which `isFailing` has this result. */
  readonly failing?: boolean;
}

/** A webhook and what waits for it. */
export interface WebhookState {
  readonly webhook: Webhook;
  readonly health: WebhookHealth;
  /** Its pending deliveries, due or not; `backlog_max` when it has as many or more. */
  readonly backlog: number;
  /** When the first of its pending deliveries is or was due; null when it has none. */
  readonly oldest_due_at_ms: number | null;
  /** How many of its newest deliveries there are, `recent_max` at most, and in which state. */
  readonly recent: Readonly<Record<DeliveryState, number>>;
}

/** Pending deliveries of one webhook are counted up to this number. */
export const backlog_max = 1_000;

/** The newest deliveries of one webhook that its state counts. */
export const recent_max = 100;

/** The parts of an event that a relay needs. The payload is read when the event is sent. */
export type EventToRelay = Pick<Event, 'id' | 'company_id' | 'event_type'>;

/** The events that a relay has taken. */
export interface TakenEvents {
  readonly events: readonly EventToRelay[];
  /** Whether events were left because another transaction holds their companies. */
  readonly passed_over: boolean;
}

export interface Outbox {
  /**
   * Takes up to `limit` events that no relay has taken, in the order of their commits: if a
   * transaction began to commit after another had committed, its events follow those of the other.
   * A commit makes this permanent; a rollback releases the events.
   *
   * One transaction at a time takes events of a company, until it ends. The events of companies
   * that another transaction holds are passed over, all of them, without waiting.
   */
  take(limit: number): Promise<TakenEvents>;
  /**
   * Takes all events of one company that no relay has taken, in the order of their commits. Waits
   * until no other transaction holds the company. Afterwards none of the company's committed events is left. Precondition: the
   * transaction holds no webhook, for which the other one might wait.
   */
  takeAllOf(company_id: number): Promise<readonly EventToRelay[]>;
  /**
   * Returns the active webhooks of the companies, with the last sequence number that was assigned.
   * Their rows are held for update in id order.
   */
  activeWebhooks(
    company_ids: readonly number[],
  ): Promise<readonly { readonly webhook: Webhook; readonly last_sequence: number }[]>;
  /** Inserts the deliveries, and stores the last sequence number of each webhook. */
  enqueue(deliveries: readonly NewDelivery[]): Promise<readonly DeliveryOffer[]>;
  /**
   * Claims deliveries that this transaction has enqueued, as the desk does, for the courier of the
   * same process. If the transaction does not commit, there is neither delivery nor claim.
   */
  claim: DeliveryDesk['claim'];
}

export type NewDelivery = Omit<Delivery, 'id'>;

/** A due delivery in the form that the queue carries. */
export interface DeliveryOffer {
  readonly delivery_id: number;
  readonly webhook_id: number;
}

export interface DeliveryStore {
  /** Newest first, each with its attempts in order. */
  list(
    webhook_id: number,
    filter: { readonly state?: DeliveryState },
    page: PageRequest,
  ): Promise<Page<DeliveryReading>>;
  /** Deliveries of all companies, newest first, each with its attempts in order. */
  listOfAll(filter: DeliveryFilter, page: PageRequest): Promise<Page<DeliveryReading>>;
  /**
   * The deliveries of the company's events that meet one of these lists of filters, the newest events
   * first, each with its attempts in order. A page may have fewer deliveries than its limit, or none, and still a next one.
   */
  listOfEvents(
    company_id: number,
    events: readonly (readonly EventFilter[])[],
    page: PageRequest,
  ): Promise<Page<DeliveryReading>>;
  /** With its attempts in order. */
  read(webhook_id: number, id: number): Promise<DeliveryReading | null>;
  find(webhook_id: number, id: number, options?: { readonly for_update?: boolean }): Promise<Delivery | null>;
  /**
   * Writes all fields except the lease: an attempt in flight is recorded when it ends.
   * Precondition: the delivery was held for update in this transaction.
   */
  update(delivery: Delivery): Promise<void>;
  /**
   * Starts a new round for the deliveries of the webhook that failed at the instant or later, at
   * most `limit`; returns their number.
   */
  recover(webhook_id: number, since_ms: number, now_ms: number, limit: number): Promise<number>;
}

export interface DeliveryFilter {
  readonly company_id?: number;
  readonly webhook_id?: number;
  readonly state?: DeliveryState;
  /** The time of the next attempt, both ends included. Only pending deliveries have one. */
  readonly due?: Interval;
}

export interface DeliveryReading {
  readonly delivery: Delivery;
  readonly attempts: readonly Attempt[];
}

/** A delivery that a worker has claimed, with everything that it needs to send it. */
export interface WorkOrder {
  readonly delivery: Delivery;
  readonly webhook: Webhook;
  readonly event: Event;
  /** Proof of the claim. */
  readonly lease: string;
}

export interface WorkResult {
  readonly delivery: Delivery;
  readonly attempt: Attempt;
  readonly lease: string;
}

export interface WebhooksTx {
  readonly webhooks: WebhookStore;
  readonly deliveries: DeliveryStore;
  readonly outbox: Outbox;
  readonly audit: AuditLog;
}

/**
 * The place where workers claim deliveries and record the results: in batches, each call in its own
 * transaction. Leases use machine time, so that moving the sandbox clock does not end them.
 */
export interface DeliveryDesk {
  /**
   * Leases the deliveries that are pending, due, of an active webhook and not leased. A delivery is
   * never leased twice at the same time, by this process or any other.
   */
  claim(delivery_ids: readonly number[], now_ms: number, lease: Lease): Promise<readonly WorkOrder[]>;
  /**
   * Records attempts and new states, and ends the leases. A result whose lease was lost changes no
   * delivery. Each result changes the health of its webhook (`healthChanges`), because the attempt
   * was made. If the round of a result differs from the current round of the delivery, because a
   * retry began a new round, the attempt is recorded and the state does not change.
   */
  record(results: readonly WorkResult[]): Promise<void>;
  /**
   * Returns the deliveries that could be claimed now, oldest due first within a webhook, at most
   * `per_webhook` of each webhook and `limit` in total. Excludes the `passed_over` webhooks, of
   * which the caller already has enough.
   */
  due(
    now_ms: number,
    machine_ms: number,
    bounds: { readonly per_webhook: number; readonly limit: number; readonly passed_over: readonly number[] },
  ): Promise<readonly DeliveryOffer[]>;
  backlog(): Promise<DeliveryBacklog>;
  /** Returns the unfinished work of all processes, as one state of the database shows it. */
  workload(now_ms: number, machine_ms: number): Promise<Workload>;
}

/** The deliveries that wait for active webhooks. */
export interface DeliveryBacklog {
  /** Pending deliveries, due or not. */
  readonly pending: number;
  /**
   * When the first of them is or was due, without those of failing webhooks: they wait for their
   * receiver.
   */
  readonly oldest_due_at_ms: number | null;
  readonly failing: number;
}

/** The unfinished work between committed events and their webhooks. */
export interface Workload {
  /**
   * Events whose deliveries are not committed: no relay has taken them, or the transaction of a
   * relay has not ended.
   */
  readonly unrelayed: number;
  /** The due deliveries of active webhooks that wait to be claimed. */
  readonly waiting: number;
  /** The due deliveries of active webhooks that are leased. */
  readonly in_flight: number;
}

/**
 * Carries offers of due deliveries from relays and sweeps to workers, in this process or others. It
 * may lose an offer, repeat it or change the order: the database is the source of truth, and a
 * sweep offers due deliveries again. The queue receives only due work, never a delay.
 */
export interface DeliveryQueue {
  /**
   * Whether offers reach only the process that makes them. Its relay then leaves new deliveries to
   * its courier without an offer.
   */
  readonly is_of_one_process?: true;
  /**
   * Never rejects because the queue's own infrastructure is unavailable: a later sweep repeats the
   * failed offers.
   */
  offer(offers: readonly DeliveryOffer[]): Promise<void>;
  /** Passes offers to `accept` until closed. `accept` returns immediately. */
  consume(accept: (offers: readonly DeliveryOffer[]) => void): Promise<void>;
  depth(): Promise<number>;
  close(): Promise<void>;
}
