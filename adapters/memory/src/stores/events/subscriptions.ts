import {
  type EventHorizon,
  lag_events_max,
  matchesSubscription,
  type Subscription,
  type SubscriptionStore,
  subscription_window,
} from '@tallystick/events';
import type { State } from '../../storage/state.ts';
import type { Transactions } from '../../storage/transactions.ts';

/** Positions of subscriptions, and the events after them. */
export function subscriptionStore({ events, subscriptions }: State): SubscriptionStore {
  /** Writers run one after the other, so ids are in the order of the commits. */
  function window(after_id: number, until_id: number, limit: number) {
    const next = events.values().filter(({ id }) => id > after_id && id <= until_id);
    return next.sort((a, b) => a.id - b.id).slice(0, limit);
  }

  const store: SubscriptionStore = {
    async insert(subscription) {
      if (subscriptions.has(subscription.name)) return false;
      subscriptions.set(subscription.name, { ...subscription, lease: null, lease_until_machine_ms: null });
      return true;
    },

    async find(name) {
      const row = subscriptions.get(name);
      return row === undefined ? null : subscriptionOf(row);
    },

    async list() {
      const rows = subscriptions.values().map(subscriptionOf);
      return rows.sort((a, b) => (a.name < b.name ? -1 : 1));
    },

    async delete(name) {
      return subscriptions.delete(name);
    },

    async claim(name, { event_types, company_id }, { token, machine_ms, until_machine_ms }) {
      const row = subscriptions.get(name);
      if (row === undefined) return null;
      const is_free = row.lease === null || row.lease === token || row.lease_until_machine_ms! <= machine_ms;
      if (!is_free) return null;
      const lease = { lease: token, lease_until_machine_ms: until_machine_ms };
      return subscriptions.set(name, { ...row, event_types, company_id, ...lease }).after_id;
    },

    async advance(name, { token, until_machine_ms }, { from_id, to_id }) {
      const row = subscriptions.get(name);
      if (row === undefined || row.lease !== token || row.after_id !== from_id) return false;
      subscriptions.set(name, { ...row, after_id: to_id, lease_until_machine_ms: until_machine_ms });
      return true;
    },

    async advanceAll(moves) {
      const moved = new Set<string>();
      for (const { name, lease, ...move } of moves) if (await store.advance(name, lease, move)) moved.add(name);
      return moved;
    },

    async release(name, token) {
      const row = subscriptions.get(name);
      if (row?.lease === token) subscriptions.set(name, { ...row, lease: null, lease_until_machine_ms: null });
    },

    async read(filter, after_id, until_id, limit) {
      const examined = window(after_id, until_id, subscription_window);
      const matching = examined.filter((event) => matchesSubscription(filter, event)).slice(0, limit);
      const ended = examined.length < subscription_window ? Math.max(after_id, until_id) : examined.at(-1)!.id;
      return { events: matching, passed_id: matching.length < limit ? ended : matching.at(-1)!.id };
    },

    async lag(position) {
      const examined = window(position.after_id, Number.MAX_SAFE_INTEGER, lag_events_max);
      const matching = examined.filter((event) => matchesSubscription(position, event));
      const last = examined.length < lag_events_max ? undefined : examined.at(-1);
      return { waiting: matching.length, oldest_at_ms: (matching[0] ?? last)?.created_at_ms ?? null };
    },
  };
  return store;
}

/** Every committed event is final. */
export function eventHorizon(transactions: Transactions): EventHorizon {
  const lastId = (): number => Math.max(0, ...transactions.committed.events.keys().slice(-1));
  return {
    async read() {
      const last_id = lastId();
      return { final_id: last_id, last_id };
    },
    async now() {
      return lastId();
    },
  };
}

function subscriptionOf({ lease: _, ...row }: Subscription & { readonly lease: string | null }): Subscription {
  return row;
}
