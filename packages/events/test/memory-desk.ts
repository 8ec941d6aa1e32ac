import type {
  Attempt,
  Delivery,
  DeliveryDesk,
  DeliveryOffer,
  DeliveryQueue,
  Event,
  Webhook,
  Workload,
  WorkOrder,
  WorkResult,
} from '../src/index.ts';

interface Row {
  delivery: Delivery;
  lease: { token: string; until_machine_ms: number } | null;
}

/** Webhooks, events and deliveries in memory, with the promises of the port. */
export class MemoryDesk implements DeliveryDesk {
  readonly webhooks = new Map<number, Webhook>();
  readonly events = new Map<number, Event>();
  readonly rows = new Map<number, Row>();
  readonly attempts: Attempt[] = [];
  claims = 0;

  add(delivery: Delivery): void {
    this.rows.set(delivery.id, { delivery, lease: null });
  }

  #claimable(row: Row, now_ms: number, machine_ms: number): boolean {
    const { delivery, lease } = row;
    const due = delivery.state === 'pending' && delivery.due_at_ms !== null && delivery.due_at_ms <= now_ms;
    const free = lease === null || lease.until_machine_ms <= machine_ms;
    return due && free && this.webhooks.get(delivery.webhook_id)?.status === 'active';
  }

  async claim(
    ids: readonly number[],
    now_ms: number,
    lease: { token: string; machine_ms: number; until_machine_ms: number },
  ): Promise<readonly WorkOrder[]> {
    this.claims += 1;
    const orders: WorkOrder[] = [];
    for (const id of ids) {
      const row = this.rows.get(id);
      if (row === undefined || !this.#claimable(row, now_ms, lease.machine_ms)) continue;
      row.lease = { token: lease.token, until_machine_ms: lease.until_machine_ms };
      const { delivery } = row;
      orders.push({
        delivery,
        webhook: this.webhooks.get(delivery.webhook_id)!,
        event: this.events.get(delivery.event_id)!,
        lease: lease.token,
      });
    }
    return orders;
  }

  async record(results: readonly WorkResult[]): Promise<void> {
    for (const { delivery, attempt, lease } of results) {
      const row = this.rows.get(delivery.id);
      if (row?.lease?.token !== lease) continue;
      const { attempts } = delivery;
      row.delivery = row.delivery.round === delivery.round ? delivery : { ...row.delivery, attempts };
      row.lease = null;
      this.attempts.push(attempt);
    }
  }

  async due(
    now_ms: number,
    machine_ms: number,
    bounds: { per_webhook: number; limit: number; passed_over: readonly number[] },
  ): Promise<readonly DeliveryOffer[]> {
    const { per_webhook, limit, passed_over } = bounds;
    const taken = new Map<number, number>();
    const offers: DeliveryOffer[] = [];
    for (const row of this.rows.values()) {
      const { id, webhook_id } = row.delivery;
      const count = taken.get(webhook_id) ?? 0;
      if (passed_over.includes(webhook_id)) continue;
      if (offers.length >= limit || count >= per_webhook || !this.#claimable(row, now_ms, machine_ms)) continue;
      taken.set(webhook_id, count + 1);
      offers.push({ delivery_id: id, webhook_id });
    }
    return offers;
  }

  async workload(now_ms: number, machine_ms: number): Promise<Workload> {
    const waiting = (await this.due(now_ms, machine_ms, { per_webhook: 1e9, limit: 1e9, passed_over: [] })).length;
    const in_flight = [...this.rows.values()].filter(({ lease }) => (lease?.until_machine_ms ?? 0) > machine_ms).length;
    return { unrelayed: 0, waiting, in_flight };
  }

  async backlog(): Promise<{ pending: number; oldest_due_at_ms: number | null }> {
    const due = [...this.rows.values()].flatMap(({ delivery }) =>
      delivery.state === 'pending' ? [delivery.due_at_ms!] : [],
    );
    return { pending: due.length, oldest_due_at_ms: due.length === 0 ? null : Math.min(...due) };
  }
}

/** Hands every offer on at once. */
export class DirectQueue implements DeliveryQueue {
  #accept: (offers: readonly DeliveryOffer[]) => void = () => {};

  async offer(offers: readonly DeliveryOffer[]): Promise<void> {
    this.#accept(offers);
  }

  async consume(accept: (offers: readonly DeliveryOffer[]) => void): Promise<void> {
    this.#accept = accept;
  }

  async depth(): Promise<number> {
    return 0;
  }

  async close(): Promise<void> {
    this.#accept = () => {};
  }
}
