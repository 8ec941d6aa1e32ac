import type { HostTransaction, Lease, UnitOfWork } from '@tallystick/kernel';
import type { Event } from '../log/event-log.ts';

/** The events that a subscription asks for. */
export interface SubscriptionFilter {
  /** Stored names of types, in ascending order; null: every type. */
  readonly event_types: readonly string[] | null;
  /** Only events of this company; null: of every company. */
  readonly company_id: number | null;
}

export function matchesSubscription(
  { event_types, company_id }: SubscriptionFilter,
  event: Pick<Event, 'company_id' | 'event_type'>,
): boolean {
  if (company_id !== null && company_id !== event.company_id) return false;
  return event_types === null || event_types.includes(event.event_type);
}

/** A named position in the event log. */
export interface Subscription extends SubscriptionFilter {
  readonly name: string;
  /** Every matching event up to this id was handled. */
  readonly after_id: number;
  readonly created_at_ms: number;
  /** Until when a process works on it, machine time; null: none does. */
  readonly lease_until_machine_ms: number | null;
}

export interface SubscribedEvents {
  /** In ascending order of id. Ids keep the order of the events of each card. */
  readonly events: readonly Event[];
  /** No other event up to this id matches. At least the id after which was read. */
  readonly passed_id: number;
}

export interface SubscriptionLag {
  /** Matching events among the next `lag_events_max` events after its position. */
  readonly waiting: number;
  /**
   * When the oldest event was created that is not known to be handled, epoch milliseconds of the
   * service's clock. If none of the next `lag_events_max` events matches, this is the last of them.
   * Null when no event waits.
   */
  readonly oldest_at_ms: number | null;
}

/** The most events that one call of a handler receives. */
export const subscription_batch_max = 100;

/** The most events of the log that one read examines, so that a rare type makes no long read. */
export const subscription_window = 1_000;

/** The lag is counted up to this number of events. */
export const lag_events_max = 1_000;

/** A move of a position by the owner of the lease. */
export interface OwnedMove {
  readonly name: string;
  readonly lease: Lease;
  readonly from_id: number;
  readonly to_id: number;
}

export interface SubscriptionStore {
  /**
   * Inserts a subscription without a lease. Returns false, and writes nothing, when there is one
   * with this name.
   */
  insert(subscription: Omit<Subscription, 'lease_until_machine_ms'>): Promise<boolean>;
  find(name: string): Promise<Subscription | null>;
  /** All of them, by name. */
  list(): Promise<readonly Subscription[]>;
  /** Returns false when the name is unknown. */
  delete(name: string): Promise<boolean>;
  /**
   * Leases the subscription, and stores what its owner asks for. Returns its position, or null when
   * the name is unknown, when the lease of another token has not expired, or when another
   * transaction holds the row. Does not wait for that transaction.
   */
  claim(name: string, filter: SubscriptionFilter, lease: Lease): Promise<number | null>;
  /**
   * Moves the position and extends the lease. Returns false, and writes nothing, unless the lease
   * has this token and the position is `from_id`. Holds the row until the transaction ends, so
   * nobody else claims it meanwhile.
   */
  advance(name: string, lease: Lease, move: { readonly from_id: number; readonly to_id: number }): Promise<boolean>;
  /**
   * Does the same for several, each once, and returns the names of those that it moved. Leaves out
   * a row that another transaction holds, and does not wait for it.
   */
  advanceAll(moves: readonly OwnedMove[]): Promise<ReadonlySet<string>>;
  release(name: string, token: string): Promise<void>;
  /**
   * The first matching events with ids above `after_id` up to `until_id`, at most `limit`. Examines
   * at most `subscription_window` events.
   */
  read(filter: SubscriptionFilter, after_id: number, until_id: number, limit: number): Promise<SubscribedEvents>;
  lag(subscription: Pick<Subscription, 'after_id' | keyof SubscriptionFilter>): Promise<SubscriptionLag>;
}

/** How far the event log is final. */
export interface EventHorizon {
  /** One cheap read when nothing was written since the last call. */
  read(): Promise<HorizonReading>;
  /**
   * An id such that every event that is committed after this call has a higher one. It may be lower
   * than that of events that were committed before, while a transaction that writes events is open.
   */
  now(): Promise<number>;
}

export interface HorizonReading {
  /**
   * No event with this id or a lower one is committed any more: a transaction sees all of them that
   * begins after this reading. Never falls in one process, except in storage without events.
   */
  readonly final_id: number;
  /** The highest id that was ever assigned. */
  readonly last_id: number;
}

/** A transaction on the database that its creator ends. */
export interface OwnTransaction {
  readonly host: HostTransaction;
  /** The `pg` client or the `better-sqlite3` database within the transaction. */
  readonly native: object;
  /** Durable when it resolves. */
  commit(): Promise<void>;
  /** Safe at any time before `commit`, also while a statement runs. */
  rollback(): Promise<void>;
}

export interface SubscriptionsTx {
  readonly subscriptions: SubscriptionStore;
}

export interface SubscriptionDatabase {
  readonly unitOfWork: UnitOfWork<SubscriptionsTx>;
  readonly event_horizon: EventHorizon;
  readonly dialect: HostTransaction['dialect'];
  begin(): Promise<OwnTransaction>;
  /** A unit of work within the transaction. It commits nothing. */
  joining(host: HostTransaction): UnitOfWork<SubscriptionsTx>;
}
