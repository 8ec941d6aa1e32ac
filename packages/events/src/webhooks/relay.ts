/**
 * The relay makes deliveries of committed events and offers them to the queue. Each process has
 * one.
 *
 *   open ──stop──> stopping ──the round under way has ended──> stopped
 *
 *   open      a nudge begins a round after `gather_ms`, `run` begins one immediately
 *   stopping  begins no round and no further batch
 *   stopped   does nothing
 *
 * While it is open, rounds follow each other:
 *
 *   resting ──nudge──> gathering ──gather_ms, longer after a batch without deliveries──> relaying
 *   resting, gathering ──run──> relaying: batches, one transaction each, until one is not full
 *   relaying ──no call meanwhile──> resting
 *   relaying ──nudge after gather_ms, run──> relaying: one more round, shared by all callers
 *   relaying ──passed over events that another relay holds──> gathering, at the end of the round
 *   relaying ──a transaction or the queue fails──> resting: the next nudge or run tries again
 *
 * If a process dies before it takes an event, the relay of any other process takes it: the events
 * table is the outbox.
 */
import { type Clock, createPhase, type UnitOfWork } from '@tallystick/kernel';
import { subscribedNameOf } from '../log/event-type.ts';
import type { Courier } from './courier.ts';
import type { DeliveryOffer, DeliveryQueue, EventToRelay, NewDelivery, Outbox } from './ports.ts';

export interface RelayPorts {
  readonly unitOfWork: UnitOfWork<{ readonly outbox: Outbox }>;
  readonly queue: Pick<DeliveryQueue, 'offer'>;
  /**
   * The courier of this process, which sends as many of the new deliveries as it has room for. They
   * are claimed in the transaction that makes them, and not offered. Null: all are offered.
   */
  readonly courier?: Pick<Courier, 'reserve'> | null;
  readonly clock: Clock;
  /** Resolves after this number of milliseconds of machine time. */
  readonly pause: (ms: number) => Promise<void>;
  /** Receives the error of a round that a nudge began. The next nudge tries again. */
  readonly faulted: (error: unknown) => void;
}

export interface RelayOptions {
  /**
   * How long the nudges that share a round may gather; 5 ms by default. Ten times as long after a
   * batch that made no deliveries: its events concerned no webhook, so few of the next ones will.
   */
  readonly gather_ms?: number;
  /** The most events that one transaction makes deliveries of; 500 by default. */
  readonly batch_max?: number;
}

export interface Relay {
  /**
   * Events may have been committed: a round begins after `gather_ms`. Returns immediately. Does
   * nothing once stopping.
   */
  nudge(): void;
  /**
   * Relays all events that are committed now, except those that another relay holds: a nudge of its
   * own follows for these. A call during a round waits for the next round. Rejects when a
   * transaction or the queue fails. Does nothing once stopping.
   */
  run(): Promise<void>;
  /**
   * Resolves when the transaction in progress has ended and its deliveries are offered. A second
   * call is a `Violation`.
   */
  stop(): Promise<void>;
}

const gather_factor_unsubscribed = 10;

/**
 * The relay of one process. It has no timer: the host calls `nudge` after each commit and `run` at
 * intervals.
 */
export function createRelay(ports: RelayPorts, options: RelayOptions = {}): Relay {
  const { unitOfWork, queue, clock, pause, faulted } = ports;
  const { gather_ms = 5, batch_max = 500 } = options;
  const phase = createPhase('the relay', 'open', { open: ['stopping'], stopping: ['stopped'], stopped: [] });
  let is_gathering = false;
  let is_asked = false;
  /** Whether the last batch left events that another relay held. */
  let passed_over = false;
  /** Whether the last batch made deliveries. */
  let is_subscribed = true;
  let rounds: Promise<void> | null = null;

  function run(): Promise<void> {
    if (!phase.is('open')) return Promise.resolve();
    is_asked = true;
    rounds ??= runRounds();
    return rounds;
  }

  async function runRounds(): Promise<void> {
    try {
      while (is_asked && phase.is('open')) {
        is_asked = false;
        for (let is_full = true; is_full && phase.is('open'); ) is_full = await runBatch();
      }
      if (passed_over) nudge();
    } finally {
      // In the same turn as the last look at `is_asked`: no call comes between the two and is lost.
      rounds = null;
    }
  }

  /** Returns whether the batch was full, so that there may be more events. */
  async function runBatch(): Promise<boolean> {
    const now_ms = clock.nowMs();
    const reserved = ports.courier?.reserve() ?? null;
    try {
      const relayed = await unitOfWork.run(async (tx) => {
        const relayed = await relayEvents(tx, now_ms, batch_max);
        const mine = reserved?.choose(relayed.offers) ?? [];
        const orders =
          reserved === null || mine.length === 0 ? [] : await tx.outbox.claim(mine, now_ms, reserved.lease);
        return { ...relayed, orders };
      });
      passed_over = relayed.passed_over;
      if (relayed.events > 0) is_subscribed = relayed.offers.length > 0;
      const claimed = new Set(relayed.orders.map(({ delivery }) => delivery.id));
      const offers = relayed.offers.filter(({ delivery_id }) => !claimed.has(delivery_id));
      reserved?.send(relayed.orders);
      if (offers.length > 0) await queue.offer(offers);
      return relayed.events === batch_max;
    } finally {
      reserved?.release();
    }
  }

  async function runGathered(): Promise<void> {
    try {
      await pause(is_subscribed ? gather_ms : gather_factor_unsubscribed * gather_ms);
    } finally {
      is_gathering = false;
    }
    if (phase.is('open')) await run();
  }

  function nudge(): void {
    if (is_gathering || !phase.is('open')) return;
    is_gathering = true;
    runGathered().catch(faulted);
  }

  return {
    nudge,
    run,
    async stop() {
      phase.enter('stopping');
      await rounds?.catch(() => undefined); // the caller that requested the round receives its error
      phase.enter('stopped');
    },
  };
}

/**
 * Makes deliveries of up to `limit` events that were not dispatched yet, one for each active
 * webhook that subscribed to the event's type. Returns them as offers for the queue, to be offered
 * after the transaction has committed.
 *
 * The deliveries of one webhook are numbered in the order in which the events were committed,
 * without a gap, whichever process relays (decision: sequence). `passed_over` is whether events
 * were left that another relay holds.
 */
export async function relayEvents(
  tx: { readonly outbox: Outbox },
  now_ms: number,
  limit: number,
): Promise<{
  readonly events: number;
  readonly passed_over: boolean;
  readonly offers: readonly DeliveryOffer[];
}> {
  const { events, passed_over } = await tx.outbox.take(limit);
  return { events: events.length, passed_over, offers: await deliver(tx, events, now_ms) };
}

/**
 * Makes deliveries of all undispatched events of one company, before its webhooks change. Past
 * events are delivered to the webhooks that had subscribed by then, even if a relay takes them late.
 */
export async function relayEventsOf(
  tx: { readonly outbox: Outbox },
  company_id: number,
  now_ms: number,
): Promise<readonly DeliveryOffer[]> {
  return deliver(tx, await tx.outbox.takeAllOf(company_id), now_ms);
}

async function deliver(
  tx: { readonly outbox: Outbox },
  events: readonly EventToRelay[],
  now_ms: number,
): Promise<readonly DeliveryOffer[]> {
  if (events.length === 0) return [];
  const events_by_company = Map.groupBy(events, ({ company_id }) => company_id);
  const subscribers = await tx.outbox.activeWebhooks([...events_by_company.keys()]);
  const deliveries: NewDelivery[] = [];
  for (const { webhook, last_sequence } of subscribers) {
    let sequence = last_sequence;
    for (const event of events_by_company.get(webhook.company_id) ?? []) {
      const event_type = subscribedNameOf(event.event_type, webhook.event_type_ids);
      if (event_type === null) continue;
      sequence += 1;
      deliveries.push({
        company_id: webhook.company_id,
        webhook_id: webhook.id,
        event_id: event.id,
        sequence,
        event_type,
        state: 'pending',
        attempts: 0,
        round: 1,
        round_started_at_ms: null,
        round_attempts: 0,
        due_at_ms: now_ms,
        created_at_ms: now_ms,
        finished_at_ms: null,
      });
    }
  }
  return deliveries.length === 0 ? [] : await tx.outbox.enqueue(deliveries);
}
