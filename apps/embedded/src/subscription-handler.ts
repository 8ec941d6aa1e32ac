import type { SubscriptionTx } from '@tallystick/events';
import type { SubscribableType, SubscribedEvent } from './operations/logged-events.ts';

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
