/**
 * The subscriptions of one process.
 *
 *   new ──start──> running ──stop──> stopping ──every loop has ended──> stopped
 *
 *   new       subscriptions are registered, and nothing is handled
 *   running   each subscription has a loop (`subscription-work.ts`)
 *   stopping  handlers that are running may end; 5 s later their transactions are rolled back
 *   stopped   refuses further subscriptions
 */
import { type Clock, createPhase, invalid, Refusal } from '@tallystick/kernel';
import { createListeners, type EventListener } from './listeners.ts';
import { createLogFollower } from './log-follower.ts';
import type { HorizonReading, Subscription, SubscriptionLag } from './ports.ts';
import type { SubscriptionHandler } from './position-commit.ts';
import { parseSubscribedTypes, readSubscribeOptions, type SubscribeOptions } from './subscribe-arguments.ts';
import { transaction_ms_max } from './subscription-tx.ts';
import { type SubscriptionWorkPorts, workOnSubscription } from './subscription-work.ts';
import { createWakeable, type WakeableControl } from './wakeable.ts';

const stop_ms_max = transaction_ms_max;

/** How long nudges gather, so that many commits share a read, milliseconds. */
const gather_ms = 5;

const name_form = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

export interface SubscriberPorts extends Omit<SubscriptionWorkPorts, 'log'> {
  readonly clock: Clock;
  /** A listener of `on` threw, or its events could not be read. */
  readonly listenerFailed: (error: unknown) => void;
}

/** A subscription as an operator sees it. */
export interface SubscriptionReading extends Subscription, SubscriptionLag {
  /** How many ids of the log are after its position, matching or not. */
  readonly ids_behind: number;
  readonly is_owned: boolean;
}

export interface Subscriber {
  /**
   * Registers a handler for events of these types. When it resolves, every matching event that is
   * committed later is handled. Any number of processes may subscribe under one name: one of them
   * works at a time, and another takes over within seconds after it died.
   *
   * Refuses (`validation_failed`) unknown types, malformed names and
   * options, and (`conflict`) a name that
   * this process has subscribed to. Rejects with a `Fault` when the database fails.
   */
  subscribe(
    name: string,
    event_types: readonly string[],
    handler: SubscriptionHandler,
    options?: SubscribeOptions,
  ): Promise<void>;
  /**
   * Removes a subscription and its position, in all processes. The next `subscribe` with this name
   * starts a new one. Returns false when the name is unknown.
   */
  unsubscribe(name: string): Promise<boolean>;
  /** All subscriptions of the database, by name, with what waits for them. */
  list(): Promise<readonly SubscriptionReading[]>;
  /**
   * Calls the listener for events that are committed from now on, by any process, while this
   * process runs. For metrics only: it loses events when the process ends or cannot keep up.
   * Returns a function that ends it. Refuses as `subscribe`.
   */
  on(event_types: readonly string[], listener: EventListener): () => void;
  /** Begins the work. A second call is a `Violation`. */
  start(): void;
  /** Events may have been committed: looks within 5 ms. Returns immediately. */
  nudge(): void;
  /**
   * Resolves when no handler runs any more. A handler that has not ended after 5 s loses its
   * transaction, and its events are handled again by the next owner.
   */
  stop(): Promise<void>;
}

/** The subscriptions and listeners of one process. It has no timer of its own. */
export function createSubscriber(ports: SubscriberPorts): Subscriber {
  const { unitOfWork, event_horizon, after, clock, machineNow } = ports;
  const phase = createPhase('the subscriber', 'new', {
    new: ['running', 'stopping'],
    running: ['stopping'],
    stopping: ['stopped'],
    stopped: [],
  });
  const loops = new Map<string, Loop>();
  let reading: Promise<HorizonReading> | null = null;
  let is_gathering = false;

  /** Shared by the loops that ask at the same time. */
  function readHorizon(): Promise<HorizonReading> {
    reading ??= event_horizon.read().finally(() => {
      reading = null;
    });
    return reading;
  }

  const log = createLogFollower({ ...ports, readHorizon });
  const listeners = createListeners({ ...ports, readHorizon });

  function begin(loop: Loop): void {
    if (!phase.is('running') || !loop.is_registered || loop.signal.is_stopped) return;
    loop.ended = loop.run().then(() => {
      // Another process removed the subscription: this one may subscribe again.
      if (!loop.signal.is_stopped) loops.delete(loop.name);
    });
  }

  async function end(loop: Loop): Promise<void> {
    loop.signal.stop();
    const cancel = after(stop_ms_max, loop.signal.abandon);
    await loop.ended;
    cancel();
  }

  return {
    async subscribe(name, event_types, handler, options) {
      checkName(name);
      const { stored_names, toSubscribed } = parseSubscribedTypes(event_types);
      const { from, company_id } = readSubscribeOptions(options);
      const filter = { event_types: stored_names, company_id };
      if (typeof handler !== 'function') throw invalid({ path: 'handler', message: 'must be a function' });
      if (phase.is('stopping') || phase.is('stopped')) throw new Refusal('conflict', 'the subscriber was stopped');
      if (loops.has(name)) throw new Refusal('conflict', `this process has subscribed to ${name} already`);
      const signal = createWakeable(after);
      const plan = { name, filter, handler, toSubscribed };
      const run = () => workOnSubscription({ ...ports, log }, plan, signal);
      const loop: Loop = { name, signal, run, is_registered: false, ended: Promise.resolve() };
      loops.set(name, loop);
      try {
        const known = await unitOfWork.read((tx) => tx.subscriptions.find(name));
        if (known === null) {
          const after_id = from === 'beginning' ? 0 : await event_horizon.now();
          const created_at_ms = clock.nowMs();
          await unitOfWork.run((tx) => tx.subscriptions.insert({ name, ...filter, after_id, created_at_ms }));
        }
      } catch (error) {
        loops.delete(name);
        throw error;
      }
      loop.is_registered = true;
      begin(loop);
    },

    async unsubscribe(name) {
      const loop = loops.get(name);
      if (loop !== undefined) await end(loop);
      const is_known = await unitOfWork.run((tx) => tx.subscriptions.delete(name));
      if (loops.get(name) === loop) loops.delete(name);
      return is_known;
    },

    async list() {
      const { last_id } = await readHorizon();
      const machine_ms = machineNow();
      return await unitOfWork.read(async ({ subscriptions }) => {
        const readings: SubscriptionReading[] = [];
        for (const subscription of await subscriptions.list()) {
          readings.push({
            ...subscription,
            ...(await subscriptions.lag(subscription)),
            ids_behind: Math.max(0, last_id - subscription.after_id),
            is_owned: (subscription.lease_until_machine_ms ?? 0) > machine_ms,
          });
        }
        return readings;
      });
    },

    on: (event_types, listener) => listeners.add(parseSubscribedTypes(event_types), listener),

    start() {
      phase.enter('running');
      for (const loop of loops.values()) begin(loop);
      listeners.start();
    },

    nudge() {
      if (is_gathering || !phase.is('running')) return;
      is_gathering = true;
      after(gather_ms, () => {
        is_gathering = false;
        log.wake();
        listeners.nudge();
      });
    },

    async stop() {
      phase.enter('stopping');
      await Promise.all([...[...loops.values()].map(end), listeners.stop()]);
      phase.enter('stopped');
    },
  };
}

interface Loop {
  readonly name: string;
  readonly signal: WakeableControl;
  readonly run: () => Promise<void>;
  is_registered: boolean;
  ended: Promise<void>;
}

function checkName(name: unknown): asserts name is string {
  if (typeof name === 'string' && name_form.test(name)) return;
  const message = 'must have 1 to 100 letters, digits, dots, hyphens or underscores, and begin with a letter or digit';
  throw invalid({ path: 'name', message });
}
