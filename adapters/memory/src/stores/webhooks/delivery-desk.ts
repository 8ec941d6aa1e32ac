import {
  changedHealth,
  type Delivery,
  type DeliveryDesk,
  healthChanges,
  isFailing,
  type WorkOrder,
  type WorkResult,
} from '@tallystick/events';
import type { Lease } from '@tallystick/kernel';
import { isLeased, type State } from '../../storage/state.ts';
import type { Transactions } from '../../storage/transactions.ts';
import { healthOf } from './webhooks.ts';

/** Claims and records deliveries, each call in a separate transaction. */
export function deliveryDesk(transactions: Transactions): DeliveryDesk {
  return {
    claim: (delivery_ids, now_ms, lease) =>
      transactions.write((state) => claim(state, [...new Set(delivery_ids)], now_ms, lease)),
    record: (results) => transactions.write((state) => record(state, results)),
    due: (now_ms, machine_ms, bounds) => transactions.read(async (state) => due(state, now_ms, machine_ms, bounds)),
    backlog: () =>
      transactions.read(async (state) => {
        const pending = pendingOfActive(state);
        const due_at_ms = pending
          .filter(({ webhook_id }) => !isFailing('active', healthOf(state, webhook_id)))
          .map((delivery) => delivery.due_at_ms ?? Number.POSITIVE_INFINITY);
        const failing = state.webhooks.values().filter(({ id, status }) => isFailing(status, healthOf(state, id)));
        return {
          pending: pending.length,
          oldest_due_at_ms: due_at_ms.length === 0 ? null : Math.min(...due_at_ms),
          failing: failing.length,
        };
      }),
    workload: (now_ms, machine_ms) =>
      transactions.read(async (state) => {
        const all_due = dueBy(state, now_ms);
        const in_flight = all_due.filter(({ id }) => isLeased(state.delivery_leases.get(id), machine_ms)).length;
        return { unrelayed: state.outbox.size, waiting: all_due.length - in_flight, in_flight };
      }),
  };
}

function pendingOfActive({ deliveries, webhooks }: State): readonly Delivery[] {
  return deliveries
    .values()
    .filter(({ state, webhook_id }) => state === 'pending' && webhooks.get(webhook_id)?.status === 'active');
}

/** Returns the deliveries that are due now, the oldest due first. */
function dueBy(state: State, now_ms: number): readonly Delivery[] {
  return pendingOfActive(state)
    .filter(({ due_at_ms }) => due_at_ms !== null && due_at_ms <= now_ms)
    .toSorted((a, b) => a.due_at_ms! - b.due_at_ms! || a.id - b.id);
}

export function claim(
  state: State,
  delivery_ids: readonly number[],
  now_ms: number,
  lease: Lease,
): readonly WorkOrder[] {
  const { delivery_leases, events, webhooks } = state;
  const { token, until_machine_ms } = lease;
  const wanted = new Set(delivery_ids);
  const claimable = dueBy(state, now_ms).filter(
    ({ id }) => wanted.has(id) && !isLeased(delivery_leases.get(id), lease.machine_ms),
  );
  return claimable
    .toSorted((a, b) => a.id - b.id)
    .map((delivery): WorkOrder => {
      delivery_leases.set(delivery.id, { token, until_machine_ms });
      const webhook = webhooks.get(delivery.webhook_id)!;
      return { delivery, webhook, event: events.get(delivery.event_id)!, lease: token };
    });
}

function record(state: State, results: readonly WorkResult[]): void {
  const { deliveries, delivery_attempts, delivery_leases, webhook_health, webhooks } = state;
  for (const change of healthChanges(results)) {
    const { webhook_id } = change;
    if (webhooks.has(webhook_id)) webhook_health.set(webhook_id, changedHealth(healthOf(state, webhook_id), change));
  }
  for (const { delivery, attempt, lease } of results) {
    const stored = deliveries.get(delivery.id);
    if (stored === undefined || delivery_leases.get(delivery.id)?.token !== lease) continue;
    delivery_leases.delete(delivery.id);
    delivery_attempts.set(delivery_attempts.nextId(), attempt);
    // The state of a round that a retry began after the claim stays.
    const { attempts } = delivery;
    deliveries.set(delivery.id, stored.round === delivery.round ? { ...stored, ...delivery } : { ...stored, attempts });
  }
}

/**
 * Takes the oldest deliveries of each webhook, so that a long backlog of one webhook does not hide
 * the others.
 */
function due(
  state: State,
  now_ms: number,
  machine_ms: number,
  { per_webhook, limit, passed_over }: Parameters<DeliveryDesk['due']>[2],
) {
  const free = dueBy(state, now_ms).filter(
    ({ id, webhook_id }) => !isLeased(state.delivery_leases.get(id), machine_ms) && !passed_over.includes(webhook_id),
  );
  return [...Map.groupBy(free, ({ webhook_id }) => webhook_id).values()]
    .flatMap((of_webhook) => of_webhook.slice(0, per_webhook))
    .slice(0, limit)
    .map(({ id, webhook_id }) => ({ delivery_id: id, webhook_id }));
}
