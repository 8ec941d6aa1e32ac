import type { SubscriptionTx } from '@tallystick/events';
import type { Authorization, Event } from '@tallystick/operations/resources';

type Payloads = { readonly [One in Event as One['event_type']]: One['payload'] };

/** What an event contains, by the name of its type. */
export interface EventPayloads extends Payloads {
  /** The second name of `virtualcard.realtime.auths`. */
  readonly 'virtualcard.realtime.iccp.all': Authorization;
}

/** An event of one type, as handlers and listeners in process get it. */
interface LoggedEventOf<Name extends keyof EventPayloads> {
  /** The events of a card have rising ids. */
  readonly id: number;
  readonly company_id: number;
  /** The name that was subscribed to, or the stored one when `all` was. */
  readonly event_type: Name;
  /** The state of the object after the change. */
  readonly payload: EventPayloads[Name];
  /** State before; null: the object was created. */
  readonly previous: EventPayloads[Name] | null;
  /** Epoch milliseconds. */
  readonly created_at_ms: number;
  /** The request that caused it; null for jobs. */
  readonly request_id: string | null;
}

/** An event of one of these types. `event_type` says which, so it narrows `payload`. */
export type LoggedEvent<Name extends keyof EventPayloads = keyof EventPayloads> = {
  readonly [Type in Name]: LoggedEventOf<Type>;
}[Name];

/** The names that a subscription may ask for. */
export type SubscribableType = 'all' | keyof EventPayloads;

/** The events that a subscription to these types gets. */
export type SubscribedEvent<Name extends SubscribableType> = 'all' extends Name
  ? LoggedEvent
  : LoggedEvent<Exclude<Name, 'all'>>;

/**
 * Handles events of these types, up to 100 in one call. The events of a card come in their order.
 * What it writes through `tx` commits together with the position of the subscription.
 */
export type SubscriptionHandler<Name extends SubscribableType = 'all'> = (
  events: readonly SubscribedEvent<Name>[],
  tx: SubscriptionTx,
) => Promise<void>;

/** Receives one event of these types. It must return at once. */
export type EventListener<Name extends SubscribableType = 'all'> = (event: SubscribedEvent<Name>) => void;
