import type { Timers } from '@tallystick/kernel';
import type { Event } from '../log/event-log.ts';
import { type HorizonReading, type SubscriptionDatabase, subscription_batch_max } from './ports.ts';
import type { SubscribedTypes } from './subscribe-arguments.ts';
import { createWakeable } from './wakeable.ts';

/** Receives one event. It must return at once. */
export type EventListener = (event: Event) => void;

/** Listeners that are further behind the log than this number of ids lose what is between. */
const ids_behind_max = 10_000;

/** The wait for events begins with the first and doubles up to the second, milliseconds. */
const idle_ms_min = 50;
const idle_ms_max = 1_000;

/** After a failure of the database. */
const retry_ms = 1_000;

interface ListenersPorts extends Pick<SubscriptionDatabase, 'unitOfWork' | 'event_horizon'> {
  readonly after: Timers['after'];
  readonly readHorizon: () => Promise<HorizonReading>;
  readonly listenerFailed: (error: unknown) => void;
}

interface Listeners {
  /** Returns a function that removes the listener. */
  add(types: SubscribedTypes, listener: EventListener): () => void;
  start(): void;
  nudge(): void;
  stop(): Promise<void>;
}

/**
 * The listeners of one process. They share a reader of the log without a stored position: it begins
 * when the first listener is added, and reads nothing while there is none.
 */
export function createListeners(ports: ListenersPorts): Listeners {
  const { unitOfWork, event_horizon, after, readHorizon, listenerFailed } = ports;
  const entries = new Set<{ readonly types: SubscribedTypes; readonly listener: EventListener }>();
  const signal = createWakeable(after);
  let is_started = false;
  let ended: Promise<void> | null = null;

  function notify(event: Event): void {
    for (const { types, listener } of entries) {
      if (types.stored_names !== null && !types.stored_names.includes(event.event_type)) continue;
      try {
        listener(types.toSubscribed(event));
      } catch (error) {
        listenerFailed(error);
      }
    }
  }

  /** The types of all listeners; null: every type. */
  function wantedTypes(): readonly string[] | null {
    const wanted = new Set<string>();
    for (const { types } of entries) {
      if (types.stored_names === null) return null;
      for (const name of types.stored_names) wanted.add(name);
    }
    return [...wanted].sort();
  }

  async function listen(): Promise<void> {
    let passed_id: number | null = null;
    let idle_ms = idle_ms_min;
    while (!signal.is_stopped && entries.size > 0) {
      try {
        passed_id ??= await event_horizon.now();
        const { final_id } = await readHorizon();
        if (final_id <= passed_id) {
          idle_ms = (await signal.sleep(idle_ms)) ? idle_ms_min : Math.min(2 * idle_ms, idle_ms_max);
          continue;
        }
        idle_ms = idle_ms_min;
        const after_id: number = Math.max(passed_id, final_id - ids_behind_max);
        const filter = { event_types: wantedTypes(), company_id: null };
        const next = await unitOfWork.read((tx) =>
          tx.subscriptions.read(filter, after_id, final_id, subscription_batch_max),
        );
        for (const event of next.events) notify(event);
        passed_id = next.passed_id;
      } catch (error) {
        listenerFailed(error);
        await signal.sleep(retry_ms, { until_stop: true });
      }
    }
    ended = null;
  }

  function begin(): void {
    if (is_started && !signal.is_stopped && entries.size > 0) ended ??= listen();
  }

  return {
    add(types, listener) {
      const entry = { types, listener };
      entries.add(entry);
      begin();
      return () => {
        entries.delete(entry);
        if (entries.size === 0) signal.wake();
      };
    },
    start() {
      is_started = true;
      begin();
    },
    nudge: () => signal.wake(),
    async stop() {
      signal.stop();
      await ended;
    },
  };
}
