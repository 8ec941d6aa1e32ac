import { type Delivery, type DeliveryReading, type DeliveryStore, matches } from '@tallystick/events';
import { isWithin, listByTime, newestFirst } from '../../storage/paging.ts';
import type { State } from '../../storage/state.ts';
import { HeldRows } from '../../storage/table.ts';

/** Deliveries as clients read and restart them. */
export function deliveryStore(state: State): DeliveryStore {
  const { deliveries, delivery_attempts, events } = state;
  const held = new HeldRows('delivery');

  function of(webhook_id: number, id: number): Delivery | null {
    const delivery = deliveries.get(id);
    return delivery?.webhook_id === webhook_id ? delivery : null;
  }

  function readingsOf(listed: readonly Delivery[]): readonly DeliveryReading[] {
    const by_delivery = Map.groupBy(delivery_attempts.values(), ({ delivery_id }) => delivery_id);
    return listed.map((delivery) => {
      const attempts = by_delivery.get(delivery.id) ?? [];
      return { delivery, attempts: attempts.sort((a, b) => a.number - b.number) };
    });
  }

  return {
    async list(webhook_id, { state: wanted }, page) {
      const listed = deliveries
        .values()
        .filter((one) => one.webhook_id === webhook_id && (wanted === undefined || one.state === wanted));
      const { items, next } = newestFirst('deliveries', listed, page);
      return { items: readingsOf(items), next };
    },

    async listOfAll({ company_id, webhook_id, state: wanted, due }, page) {
      const listed = deliveries
        .values()
        .filter(
          (one) =>
            (company_id ?? one.company_id) === one.company_id &&
            (webhook_id ?? one.webhook_id) === one.webhook_id &&
            (wanted ?? one.state) === one.state &&
            (due === undefined || (one.due_at_ms !== null && isWithin(one.due_at_ms, due))),
        );
      const { items, next } = newestFirst('all-deliveries', listed, page);
      return { items: readingsOf(items), next };
    },

    async listOfEvents(company_id, wanted, page) {
      const met = events.values().filter((event) => event.company_id === company_id);
      const ids = new Set(
        met
          .filter((event) => wanted.some((filters) => filters.every((filter) => matches(event, filter))))
          .map(({ id }) => id),
      );
      const listed = deliveries.values().filter(({ event_id }) => ids.has(event_id));
      const placed = listed.map((delivery) => ({ id: delivery.id, at_ms: delivery.event_id, delivery }));
      const { items, next } = listByTime('event-deliveries', placed, page);
      return { items: readingsOf(items.map(({ delivery }) => delivery)), next };
    },

    async read(webhook_id, id) {
      const delivery = of(webhook_id, id);
      return delivery === null ? null : readingsOf([delivery])[0]!;
    },

    async find(webhook_id, id, options) {
      if (options?.for_update) held.hold(id);
      return of(webhook_id, id);
    },

    async update(delivery) {
      held.assertHeld(delivery.id);
      if (deliveries.has(delivery.id)) deliveries.set(delivery.id, delivery);
    },

    async recover(webhook_id, since_ms, now_ms, limit) {
      const failed = deliveries
        .values()
        .filter((one) => one.webhook_id === webhook_id && one.state === 'failed' && one.finished_at_ms! >= since_ms)
        .sort((a, b) => a.id - b.id)
        .slice(0, limit);
      const begun = { state: 'pending', round_started_at_ms: null, round_attempts: 0, due_at_ms: now_ms } as const;
      for (const delivery of failed) deliveries.set(delivery.id, { ...delivery, ...begun, round: delivery.round + 1 });
      return failed.length;
    },
  };
}

/** Deletes a delivery and its lease. Its attempts are deleted separately. */
export function dropDelivery({ deliveries, delivery_leases }: State, id: number): void {
  deliveries.delete(id);
  delivery_leases.delete(id);
}
