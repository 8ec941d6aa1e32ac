/**
 * The courier of one process: it takes offers of due deliveries from the queue, claims them, sends
 * them and records the results.
 *
 *   created ──start──> running ──stop──> stopping ──nothing in flight, results recorded──> stopped
 *   running ──the queue cannot be consumed──> created: start may be called again
 *   created ──stop──> stopping
 *
 *   created   takes no offers; a sweep offers due deliveries to the couriers of other processes
 *   running   takes offers, claims, sends, records
 *   stopping  claims nothing more; requests in flight end and are recorded
 *   stopped   does nothing
 *
 * It works in rounds. A round records the available results, and then claims and sends:
 *
 *   resting ──there is work──> gathering ──gather_ms──> working ──recorded, claimed──> resting
 *   resting ──there is work, and the last round ended gather_ms ago or earlier──> working
 *
 * After a round with many deliveries, work gathers up to four times as long: each transaction has a
 * fixed cost, and the more deliveries share it, the more are sent in a second.
 *
 * The states of an offer:
 *
 *   offered ──room in its webhook's lane──> waiting ──lane and process have capacity──> claimed ──> sent ──> recorded
 *   offered ──lane full, or known──────────> dropped: a later sweep offers it again, if it is still due
 *   waiting ──not claimable any more───────> dropped: another process has it, or its webhook is inactive
 *
 * The relay of the same process reserves room, and claims new deliveries as it makes them: they are
 * sent as soon as they are committed.
 *
 * Each webhook has a separate lane with a bound on requests in flight, so that a slow or dead
 * endpoint delays no other. A webhook that keeps failing is limited to one request in flight until
 * it succeeds. The schedule does not depend on any of this.
 */
import { assert, createPhase, drawLease, Fault, type Lease, type Random } from '@tallystick/kernel';
import { type Attempt, afterAttempt, type Delivery, isSuccess } from './delivery.ts';
import { eventBody, type RequestSigner, requestSigner, type SignRequest, signatureOf } from './delivery-request.ts';
import type { DeliveryDesk, DeliveryOffer, DeliveryQueue, WorkOrder, WorkResult } from './ports.ts';
import type { Webhook } from './webhook.ts';
import { failures_until_failing } from './webhook-health.ts';
import type { WebhookSender } from './webhook-sender.ts';

/** Receives each attempt, for metrics and logs. Never the body. */
export interface CourierObserver {
  attempted(webhook: Webhook, delivery: Delivery, attempt: Attempt): void;
  /** A claim or a record failed. A later sweep does the missing work. */
  faulted(error: unknown): void;
}

export interface CourierPorts extends RequestSigner {
  readonly desk: DeliveryDesk;
  readonly queue: DeliveryQueue;
  readonly sender: WebhookSender;
  readonly random: Random;
  /** Resolves after this number of milliseconds of machine time. */
  readonly pause: (ms: number) => Promise<void>;
  readonly observer: CourierObserver;
  readonly limits?: Partial<CourierLimits>;
}

export interface CourierLimits {
  readonly in_flight_max: number;
  readonly in_flight_per_webhook_max: number;
  /** Offers that wait for one webhook. */
  readonly waiting_per_webhook_max: number;
  /** Failures in a row after which a webhook is limited to one request in flight. */
  readonly failures_until_slow: number;
  readonly batch_max: number;
  /**
   * How long results and offers may gather after the last round, so that many share one
   * transaction. Up to four times as long after a large round.
   */
  readonly gather_ms: number;
  /** How long a claim lasts when its process dies; longer than any request. */
  readonly lease_ms: number;
}

export const courier_limits_default: CourierLimits = {
  in_flight_max: 512,
  in_flight_per_webhook_max: 8,
  waiting_per_webhook_max: 256,
  failures_until_slow: failures_until_failing,
  batch_max: 256,
  gather_ms: 5,
  lease_ms: 30_000,
};

/**
 * Lanes kept in memory to remember failing webhooks. Lanes with deliveries in progress are added to
 * this number.
 */
const lanes_max = 10_000;

/** A round with more claims than this is large: the next one gathers longer, in proportion. */
const small_round = 8;
const gather_factor_max = 4;

export interface Courier {
  /**
   * Begins to take offers. Rejects when the queue cannot be consumed, and may then be called again.
   * Throws a `Violation` when the courier runs or was stopped.
   */
  start(): Promise<void>;
  /**
   * Offers due deliveries to the queue, and records the results that could not be recorded before.
   * Returns the number of offers: 0 once stopping.
   */
  sweep(): Promise<number>;
  /** Reserves room for deliveries that the relay of this process makes. */
  reserve(): Reservation;
  /**
   * Resolves when no offer waits to be claimed, no request is in flight and no result is
   * unrecorded.
   */
  settled(): Promise<void>;
  /**
   * Takes no more offers, waits for the requests in flight and records them. A sweep offers the
   * waiting deliveries again. A second call is a `Violation`.
   */
  stop(): Promise<void>;
}

/**
 * Room of a courier for deliveries that are claimed in the transaction that makes them. They are
 * sent without a transaction in between.
 */
export interface Reservation {
  /** With which the deliveries are claimed. */
  readonly lease: Lease;
  /**
   * Returns the deliveries for which there is room, and keeps it in place of what it kept before.
   * There is none behind offers that wait, or when the courier does not run.
   */
  choose(offers: readonly DeliveryOffer[]): readonly number[];
  /** Sends the claimed deliveries, which must be of those chosen last. */
  send(orders: readonly WorkOrder[]): void;
  /** Ends the reservation of what was not sent. */
  release(): void;
}

interface Lane {
  readonly webhook_id: number;
  readonly waiting: number[];
  /** The ids of waiting deliveries and of deliveries in flight. */
  readonly known: Set<number>;
  readonly sign: SignRequest;
  in_flight: number;
  failures_in_a_row: number;
}

export function createCourier(ports: CourierPorts): Courier {
  const { desk, queue, clock, machine_clock, observer } = ports;
  const limits: CourierLimits = { ...courier_limits_default, ...ports.limits };
  const lanes = new Map<number, Lane>();
  const results: WorkResult[] = [];
  const settle_waiters: (() => void)[] = [];
  const phase = createPhase('the courier', 'created', {
    created: ['running', 'stopping'],
    running: ['created', 'stopping'],
    stopping: ['stopped'],
    stopped: [],
  });
  const rounds = createPhase('the round of the courier', 'resting', {
    resting: ['gathering', 'working'],
    gathering: ['working'],
    working: ['resting'],
  });
  let in_flight = 0;
  /** The round in phase `working`; null in the other phases. */
  let round: Promise<void> | null = null;
  let round_ended_ms = 0;
  /** How many deliveries the last round tried to claim. */
  let claimed_last = 0;
  /** Whether the last record failed: a sweep tries again. */
  let record_failed = false;

  function accept(offers: readonly DeliveryOffer[]): void {
    if (!phase.is('running')) return;
    for (const { delivery_id, webhook_id } of offers) {
      const lane = laneOf(webhook_id);
      if (lane.known.has(delivery_id) || lane.waiting.length >= limits.waiting_per_webhook_max) continue;
      lane.known.add(delivery_id);
      lane.waiting.push(delivery_id);
    }
    wake();
  }

  function laneOf(webhook_id: number): Lane {
    let lane = lanes.get(webhook_id);
    if (lane === undefined) {
      lane = {
        webhook_id,
        waiting: [],
        known: new Set(),
        sign: requestSigner(ports),
        in_flight: 0,
        failures_in_a_row: 0,
      };
      lanes.set(webhook_id, lane);
    }
    return lane;
  }

  /** Returns whether the lane's webhook keeps failing. */
  function isSlow(lane: Lane): boolean {
    return lane.failures_in_a_row >= limits.failures_until_slow;
  }

  /**
   * Returns how many requests in flight belong to slow lanes. Slow lanes may use a quarter of the
   * capacity together, so that the others never wait for them.
   */
  function slowInFlight(): number {
    let sum = 0;
    for (const lane of lanes.values()) if (isSlow(lane)) sum += lane.in_flight;
    return sum;
  }

  function isReady(lane: Lane, slow_in_flight: number): boolean {
    return lane.waiting.length > 0 && hasRoom(lane, slow_in_flight);
  }

  function hasRoom(lane: Lane, slow_in_flight: number): boolean {
    if (!isSlow(lane)) return lane.in_flight < limits.in_flight_per_webhook_max;
    return lane.in_flight === 0 && slow_in_flight < limits.in_flight_max / 4;
  }

  /**
   * Takes the next delivery of each lane in turn, until the lanes or the process have no capacity,
   * and counts each as in flight. A lane that had its turn is moved behind all others, for this
   * round and the next.
   */
  function pick(): { readonly lane: Lane; readonly delivery_id: number }[] {
    const picked: { readonly lane: Lane; readonly delivery_id: number }[] = [];
    let slow_in_flight = slowInFlight();
    for (let found = phase.is('running'); found; ) {
      found = false;
      for (const lane of [...lanes.values()]) {
        if (in_flight >= limits.in_flight_max || picked.length >= limits.batch_max) return picked;
        if (!isReady(lane, slow_in_flight)) continue;
        const delivery_id = lane.waiting.shift();
        if (delivery_id === undefined) continue;
        lane.in_flight += 1;
        in_flight += 1;
        if (isSlow(lane)) slow_in_flight += 1;
        picked.push({ lane, delivery_id });
        lanes.delete(lane.webhook_id);
        lanes.set(lane.webhook_id, lane);
        found = true;
      }
    }
    return picked;
  }

  function release(lane: Lane, delivery_id: number): void {
    assert(lane.in_flight > 0 && in_flight > 0, 'only a delivery in flight is released');
    lane.in_flight -= 1;
    in_flight -= 1;
    lane.known.delete(delivery_id);
    // The courier remembers a failing webhook, but only a limited number of them.
    const forgettable = lane.failures_in_a_row === 0 || lanes.size > lanes_max;
    if (lane.known.size === 0 && forgettable) lanes.delete(lane.webhook_id);
  }

  /** Begins a round: immediately after a pause, otherwise when enough work may have gathered. */
  function wake(): void {
    if (!rounds.is('resting')) return;
    const gather_ms = limits.gather_ms * Math.min(gather_factor_max, Math.max(1, claimed_last / small_round));
    const wait_ms = Math.min(gather_ms, round_ended_ms + gather_ms - machineNow());
    if (wait_ms <= 0) {
      beginRound();
      return;
    }
    rounds.enter('gathering');
    void ports.pause(wait_ms).then(beginRound);
  }

  function beginRound(): void {
    rounds.enter('working');
    round = runRound().finally(() => {
      rounds.enter('resting');
      round = null;
      round_ended_ms = machineNow();
      goOn();
    });
  }

  function goOn(): void {
    if (hasWork()) wake();
    else settleIfIdle();
  }

  async function runRound(): Promise<void> {
    await recordResults();
    const picked = pick();
    claimed_last = picked.length;
    if (picked.length > 0) await claimAndSend(picked);
  }

  function hasWork(): boolean {
    if (results.length > 0 && !record_failed) return true;
    if (!phase.is('running') || in_flight >= limits.in_flight_max) return false;
    const slow_in_flight = slowInFlight();
    return [...lanes.values()].some((lane) => isReady(lane, slow_in_flight));
  }

  function machineNow(): number {
    return machine_clock.nowMs();
  }

  async function claimAndSend(picked: readonly { readonly lane: Lane; readonly delivery_id: number }[]): Promise<void> {
    const lanes_by_delivery = new Map(picked.map(({ lane, delivery_id }) => [delivery_id, lane]));
    const lease = drawLease(ports.random, machineNow(), limits.lease_ms);
    let orders: readonly WorkOrder[] = [];
    try {
      orders = await desk.claim([...lanes_by_delivery.keys()], clock.nowMs(), lease);
    } catch (error) {
      observer.faulted(error);
    }
    for (const order of orders) {
      const lane = lanes_by_delivery.get(order.delivery.id);
      if (lane === undefined) continue;
      lanes_by_delivery.delete(order.delivery.id);
      void send(lane, order);
    }
    for (const [delivery_id, lane] of lanes_by_delivery) release(lane, delivery_id);
  }

  function reserve(): Reservation {
    const chosen = new Map<number, Lane>();
    const releaseChosen = (): void => {
      for (const [delivery_id, lane] of chosen) release(lane, delivery_id);
      chosen.clear();
    };
    return {
      lease: drawLease(ports.random, machineNow(), limits.lease_ms),
      choose(offers) {
        releaseChosen();
        if (!phase.is('running')) return [];
        let slow_in_flight = slowInFlight();
        for (const { delivery_id, webhook_id } of offers) {
          if (in_flight >= limits.in_flight_max || chosen.size >= limits.batch_max) break;
          const lane = laneOf(webhook_id);
          if (lane.waiting.length > 0 || !hasRoom(lane, slow_in_flight)) continue;
          lane.known.add(delivery_id);
          lane.in_flight += 1;
          in_flight += 1;
          if (isSlow(lane)) slow_in_flight += 1;
          chosen.set(delivery_id, lane);
        }
        return [...chosen.keys()];
      },
      send(orders) {
        for (const order of orders) {
          const lane = chosen.get(order.delivery.id);
          assert(lane !== undefined, 'only a delivery with a reservation is sent without a claim');
          chosen.delete(order.delivery.id);
          void send(lane, order);
        }
      },
      release() {
        releaseChosen();
        goOn();
      },
    };
  }

  async function send(lane: Lane, order: WorkOrder): Promise<void> {
    const { delivery, webhook, event, lease } = order;
    try {
      const at_ms = clock.nowMs();
      const { id, sequence, event_type } = delivery;
      const request = lane.sign(webhook, { id: String(id), sequence, body: eventBody(event, event_type) });
      const answer = await ports.sender.send(request);
      const after = afterAttempt(delivery, answer, at_ms, signatureOf(request));
      lane.failures_in_a_row = isSuccess(answer) ? 0 : lane.failures_in_a_row + 1;
      results.push({ ...after, lease });
      observer.attempted(webhook, after.delivery, after.attempt);
    } catch (error) {
      observer.faulted(error); // no key opens the secret: the lease expires, and a sweep offers it again
    }
    release(lane, delivery.id);
    wake();
  }

  /**
   * Records the results. When the database refuses a batch permanently, it tries the results one by
   * one. A result that is refused alone is left until its lease ends.
   */
  async function recordBatch(batch: readonly WorkResult[]): Promise<void> {
    try {
      await desk.record(batch);
    } catch (error) {
      if (!(error instanceof Fault) || error.retryable) throw error;
      observer.faulted(error);
      if (batch.length > 1) for (const result of batch) await recordBatch([result]);
    }
  }

  async function recordResults(): Promise<void> {
    try {
      while (results.length > 0) {
        const batch = results.slice(0, limits.batch_max);
        await recordBatch(batch);
        results.splice(0, batch.length);
      }
      record_failed = false;
    } catch (error) {
      record_failed = true;
      observer.faulted(error);
    }
  }

  /**
   * Returns the webhooks whose waiting offers here would hide the offers of others if there were
   * more.
   */
  function fullLanes(): number[] {
    const enough = limits.waiting_per_webhook_max / 2;
    return [...lanes.values()].filter(({ waiting }) => waiting.length >= enough).map(({ webhook_id }) => webhook_id);
  }

  /**
   * Returns infinity when the queue cannot report its depth, because then it cannot take offers
   * either.
   */
  async function waitingOffers(): Promise<number> {
    try {
      return await queue.depth();
    } catch (error) {
      observer.faulted(error);
      return Number.POSITIVE_INFINITY;
    }
  }

  function isIdle(): boolean {
    return in_flight === 0 && rounds.is('resting') && !hasWork();
  }

  function settleIfIdle(): void {
    if (isIdle()) for (const resolve of settle_waiters.splice(0)) resolve();
  }

  function settled(): Promise<void> {
    if (isIdle()) return Promise.resolve();
    return new Promise((resolve) => settle_waiters.push(resolve));
  }

  return {
    async start() {
      phase.enter('running');
      try {
        await queue.consume(accept);
      } catch (error) {
        if (phase.is('running')) phase.enter('created');
        throw error;
      }
    },
    async sweep() {
      if (phase.is('stopping') || phase.is('stopped')) return 0;
      record_failed = false;
      if (results.length > 0) wake();
      await round;
      const now_ms = clock.nowMs();
      const machine_ms = machineNow();
      // The offers that already wait are enough, and would be offered twice.
      if ((await waitingOffers()) >= limits.in_flight_max) return 0;
      const offers = await desk.due(now_ms, machine_ms, {
        per_webhook: limits.waiting_per_webhook_max,
        limit: limits.in_flight_max * 16,
        passed_over: fullLanes(),
      });
      await queue.offer(offers);
      return offers.length;
    },
    reserve,
    settled,
    async stop() {
      phase.enter('stopping');
      await settled();
      // Tries once more to record the results that could not be recorded.
      await recordResults();
      assert(in_flight === 0 && rounds.is('resting'), 'a courier stops with nothing in flight');
      phase.enter('stopped');
    },
  };
}
