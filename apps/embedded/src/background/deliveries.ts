import {
  type Courier,
  type CourierObserver,
  createCourier,
  createRelay,
  createWebhookTester,
  type DeliveryDesk,
  type DeliveryQueue,
  type Outbox,
  type WebhookSender,
} from '@tallystick/events';
import type { Clock, Timers, UnitOfWork } from '@tallystick/kernel';
import type { WebhookServices } from '@tallystick/operations';
import type { Vault } from '@tallystick/vault';
import type { Job } from './jobs.ts';

/**
 * How long a clock move waits for due deliveries; longer than one request to an endpoint may take.
 */
const settle_ms_max = 20_000;
/** How long it waits until a worker takes any of them. A running worker checks every second. */
const worker_ms_max = 5_000;
const settle_poll_ms = 20;

/** The part of this process that delivers events to webhooks. */
export interface Deliveries {
  /**
   * Events may have been committed: relays them immediately. The hook to call after each commit.
   */
  nudge(): void;
  /** The jobs that run at intervals and whenever the sandbox clock moves. */
  readonly jobs: readonly Job[];
  readonly webhooks: WebhookServices;
  /**
   * Resolves with null when every due delivery has been attempted, by any process. After 20 s at
   * the latest, or after 5 s in which no worker took any, it resolves with a sentence that names
   * the waiting deliveries and the cause.
   */
  settled(): Promise<string | null>;
  /** Takes no more deliveries; requests in flight end and are recorded. */
  stop(): Promise<void>;
}

export interface DeliveriesPorts {
  readonly persistence: {
    readonly unitOfWork: UnitOfWork<{ readonly outbox: Outbox }>;
    readonly delivery_desk: DeliveryDesk;
  };
  readonly vault: Pick<Vault, 'sealer' | 'random' | 'hmacSha256'>;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly queue: DeliveryQueue;
  readonly sender: WebhookSender;
  readonly observer: CourierObserver;
  /** Updates the clock before a run. */
  readonly refresh: () => Promise<void>;
  /** Whether this process sends, or leaves the sending to workers on the same queue. */
  readonly sends: boolean;
  /** Whether webhooks are off: deliveries are made and wait, and nothing is sent. */
  readonly is_off: boolean;
}

const off_notice = 'webhooks are off: nothing is sent';

/** Composes relay, queue and courier. Begins to send as soon as its jobs run. */
export function createDeliveries(ports: DeliveriesPorts): Deliveries {
  const { persistence, vault, clock, timers, queue, sender, observer, refresh } = ports;
  const { pause, monotonicNow } = timers;
  const { sealer, random, hmacSha256: hmac } = vault;
  const nowMs = (): number => clock.nowMs();
  const courier: Courier = createCourier({
    desk: persistence.delivery_desk,
    queue: refreshedBefore(queue, refresh),
    sender,
    sealer,
    hmac,
    random,
    clock,
    machine_clock: timers,
    pause,
    observer,
  });
  const relay = createRelay({
    unitOfWork: persistence.unitOfWork,
    queue,
    courier: queue.is_of_one_process === true && ports.sends ? courier : null,
    clock,
    pause,
    faulted: (error) => observer.faulted(error),
  });
  let consuming: Promise<void> | null = null;
  let stopped = false;

  /** Deliveries are due by the clock, which another process may have moved. */
  async function relayJob(): Promise<void> {
    await refresh();
    if (stopped) return;
    await relay.run();
  }

  async function sweep(): Promise<void> {
    await refresh();
    if (stopped) return;
    if (ports.sends) {
      consuming ??= courier.start().catch((error: unknown) => {
        // The next sweep tries again.
        consuming = null;
        throw error;
      });
      await consuming;
    }
    await relay.run();
    if (!ports.is_off) await courier.sweep();
  }

  return {
    nudge: relay.nudge,
    jobs: [
      { name: 'delivery sweep', every_ms: 1_000, run: sweep },
      { name: 'event relay', every_ms: 250, run: relayJob },
    ],
    webhooks: {
      test: ports.is_off
        ? async () => ({ kind: 'tested', status: 0, error: off_notice })
        : createWebhookTester({ sender, sealer, random, hmac, clock, machine_clock: timers }),
      due: () => void sweep().catch((error: unknown) => observer.faulted(error)),
    },
    async settled() {
      const started_ms = monotonicNow();
      let worked_ms = started_ms;
      let waiting_before = 0;
      while (!stopped) {
        // Other due work may have written events after the run of the relay in the jobs.
        await relay.run();
        const machine_ms = timers.nowMs();
        const { unrelayed, waiting, in_flight } = await persistence.delivery_desk.workload(nowMs(), machine_ms);
        // Another process may be relaying the events that this one skipped: their deliveries are
        // due once it has committed.
        if (unrelayed + waiting + in_flight === 0) return null;
        if (unrelayed + in_flight > 0 || waiting !== waiting_before) worked_ms = monotonicNow();
        waiting_before = waiting;
        const due = `deliveries due: ${unrelayed + waiting + in_flight}`;
        if (ports.is_off && unrelayed === 0) return `${due}; ${off_notice}`;
        if (!ports.sends && monotonicNow() - worked_ms > worker_ms_max) {
          return `${due}; no worker took any in ${worker_ms_max / 1_000} s: start one (npm start -- --role worker)`;
        }
        if (monotonicNow() - started_ms > settle_ms_max) {
          return `${due}; not all were attempted in ${settle_ms_max / 1_000} s`;
        }
        await courier.sweep();
        await pause(settle_poll_ms);
      }
      return null;
    },
    async stop() {
      stopped = true;
      await relay.stop();
      await courier.stop();
    },
  };
}

/**
 * Another process may have moved the clock that made the offered deliveries due, so this process
 * refreshes its clock before it takes offers.
 */
function refreshedBefore(queue: DeliveryQueue, refresh: () => Promise<void>): DeliveryQueue {
  // A queue of a host may be an object of a class, whose methods a spread would lose.
  return {
    offer: (offers) => queue.offer(offers),
    consume: (accept) =>
      queue.consume((offers) => {
        refresh().then(
          () => accept(offers),
          () => accept(offers),
        );
      }),
    depth: () => queue.depth(),
    close: () => queue.close(),
  };
}
