/**
 * The work of one process on one subscription.
 *
 *   standby ──claimed──> reading ──events──> handling ──committed──> reading
 *   handling ──the handler or the database fails──> waiting ──backoff──> standby
 *   reading, handling ──another process owns it──> standby
 *   standby ──the subscription was removed──> ended
 *   any ──stop──> ended: the lease is released
 *
 * One process owns the subscription by a lease, which it extends while it works. A process that was
 * paused may believe that it still owns it, so the lease and the position are compared again in the
 * transaction that commits the handler's writes, with the row locked. Of two owners one commits.
 */
import { type After, drawLeaseToken, type Lease, type Random } from '@tallystick/kernel';
import type { Event } from '../log/event.ts';
import {
  type HorizonReading,
  type SubscriptionDatabase,
  type SubscriptionFilter,
  subscription_batch_max,
} from './ports.ts';
import { lazyTransaction, SubscriptionLost, type SubscriptionTx } from './subscription-tx.ts';
import type { Wakeable } from './wakeable.ts';

/** How long a process owns a subscription after its last sign of life, machine time. */
const lease_ms = 6_000;

/** How often it extends the lease. */
const renew_ms = 2_000;

/** How often a process looks whether the owner has died. */
const standby_ms = 1_000;

/** The wait for events begins with the first and doubles up to the second. */
const idle_ms_min = 50;
const idle_ms_max = 1_000;

/** The wait after a failure begins with the first and doubles up to the second. */
const retry_ms_min = 100;
const retry_ms_max = 30_000;

/**
 * Handles events. What it writes through `tx` is committed exactly once, together with the position
 * of the subscription. Rejects to have the same events again.
 */
export type SubscriptionHandler = (events: readonly Event[], tx: SubscriptionTx) => Promise<void>;

/** A run that failed. It is repeated: no event is passed over. */
export interface SubscriptionFailure {
  readonly name: string;
  readonly error: unknown;
  /** Failures since the last success in this process. */
  readonly failures: number;
  readonly retry_in_ms: number;
  /** The events that the handler had; null when the database failed before it had any. */
  readonly events: { readonly first_id: number; readonly last_id: number; readonly count: number } | null;
}

export interface SubscriptionWorkPorts extends SubscriptionDatabase {
  readonly after: After;
  /** Milliseconds of a clock that only goes forward. */
  readonly monotonicNow: () => number;
  /** Milliseconds of machine time, which leases use. */
  readonly machineNow: () => number;
  readonly random: Random;
  readonly readHorizon: () => Promise<HorizonReading>;
  readonly failed: (failure: SubscriptionFailure) => void;
  /** Another process removed the subscription. */
  readonly removed: (name: string) => void;
}

export interface SubscriptionPlan {
  readonly name: string;
  readonly filter: SubscriptionFilter;
  readonly handler: SubscriptionHandler;
  /** The event as the handler receives it. */
  readonly toSubscribed: (event: Event) => Event;
}

/** Works on the subscription until `signal` stops it, or until it is removed. Never rejects. */
export async function workOnSubscription(
  ports: SubscriptionWorkPorts,
  { name, filter, handler, toSubscribed }: SubscriptionPlan,
  signal: Wakeable,
): Promise<void> {
  const { unitOfWork, after, monotonicNow, machineNow, random, readHorizon } = ports;
  const token = drawLeaseToken(random);
  let failures = 0;
  let may_own = false;
  /** Halved by failures, so that an event that cannot be handled is alone in the end. */
  let batch_max = subscription_batch_max;

  const lease = (): Lease => {
    const machine_ms = machineNow();
    return { token, machine_ms, until_machine_ms: machine_ms + lease_ms };
  };
  const advance = (from_id: number, to_id: number): Promise<boolean> =>
    unitOfWork.run((tx) => tx.subscriptions.advance(name, lease(), { from_id, to_id }));

  /** Reads first, so that a process on standby writes nothing. */
  async function claim(): Promise<number | 'not_free' | 'removed'> {
    const known = await unitOfWork.read((tx) => tx.subscriptions.find(name));
    if (known === null) return 'removed';
    const leased_until_ms = known.lease_until_machine_ms ?? 0;
    if (!may_own && leased_until_ms > machineNow()) return 'not_free';
    // Also its own lease, after a failure.
    may_own = true;
    return (await unitOfWork.run((tx) => tx.subscriptions.claim(name, filter, lease()))) ?? 'not_free';
  }

  /** Reads and handles events until another process owns the subscription, or until the stop. */
  async function own(claimed_id: number): Promise<void> {
    let stored_id = claimed_id;
    let passed_id = claimed_id;
    let renewed_ms = monotonicNow();
    let idle_ms = idle_ms_min;
    while (!signal.is_stopped) {
      if (monotonicNow() - renewed_ms >= renew_ms) {
        if (!(await advance(stored_id, passed_id))) return;
        stored_id = passed_id;
        renewed_ms = monotonicNow();
      }
      const { final_id } = await readHorizon();
      if (final_id <= passed_id) {
        failures = 0;
        if (await signal.sleep(idle_ms)) idle_ms = idle_ms_min;
        else idle_ms = Math.min(2 * idle_ms, idle_ms_max);
        continue;
      }
      idle_ms = idle_ms_min;
      const next = await unitOfWork.read((tx) => tx.subscriptions.read(filter, passed_id, final_id, batch_max));
      if (next.events.length > 0) {
        if (!(await handle(next.events, stored_id, next.passed_id))) return;
        stored_id = next.passed_id;
        renewed_ms = monotonicNow();
        failures = 0;
        batch_max = Math.min(2 * batch_max, subscription_batch_max);
      }
      passed_id = next.passed_id;
    }
    await unitOfWork.run(async ({ subscriptions }) => {
      if (passed_id > stored_id) await subscriptions.advance(name, lease(), { from_id: stored_id, to_id: passed_id });
      await subscriptions.release(name, token);
    });
    may_own = false;
  }

  /** Resolves with whether the events are handled and this process still owns the subscription. */
  async function handle(events: readonly Event[], from_id: number, to_id: number): Promise<boolean> {
    const lazy = lazyTransaction(ports, after, async (host) => {
      const renewal = { from_id, to_id: from_id };
      const is_owner = await ports.joining(host).run((tx) => tx.subscriptions.advance(name, lease(), renewal));
      if (!is_owner) throw new SubscriptionLost(name);
    });
    const stopRenewal = renewWhile(
      () => !lazy.is_begun,
      () => advance(from_id, from_id),
    );
    let running: Promise<void> = Promise.resolve();
    try {
      running = (async () => await handler(events.map(toSubscribed), lazy.tx))();
      await signal.untilAbandoned(Promise.race([running, lazy.expired]));
      await stopRenewal();
      if (lazy.endUnused()) return await advance(from_id, to_id);
      return await lazy.finish((host) =>
        ports.joining(host).run((tx) => tx.subscriptions.advance(name, lease(), { from_id, to_id })),
      );
    } catch (error) {
      await stopRenewal();
      await lazy.abandon();
      // Two calls of a handler never overlap in a process.
      await signal.untilAbandoned(running).catch(() => undefined);
      if (error instanceof SubscriptionLost) return false;
      batch_max = Math.max(1, Math.floor(events.length / 2));
      throw new FailedRun(error, events);
    }
  }

  /** Extends the lease during a long call. Its faults only let the lease expire. */
  function renewWhile(mayRenew: () => boolean, renew: () => Promise<boolean>): () => Promise<void> {
    let renewing: Promise<unknown> = Promise.resolve();
    let is_over = false;
    let cancel = (): void => {};
    const plan = (): void => {
      cancel = after(renew_ms, () => {
        if (is_over || !mayRenew()) return;
        renewing = renew()
          .catch(() => undefined)
          .finally(() => {
            if (!is_over) plan();
          });
      });
    };
    plan();
    return async () => {
      is_over = true;
      cancel();
      await renewing;
    };
  }

  while (!signal.is_stopped) {
    try {
      const claimed = await claim();
      if (claimed === 'removed') {
        ports.removed(name);
        return;
      }
      if (claimed === 'not_free') await signal.sleep(standby_ms);
      else await own(claimed);
    } catch (error) {
      if (signal.is_stopped) break;
      failures += 1;
      const retry_in_ms = Math.min(retry_ms_min * 2 ** Math.min(failures - 1, 20), retry_ms_max);
      const events = error instanceof FailedRun ? error.range : null;
      ports.failed({ name, error: error instanceof FailedRun ? error.cause : error, failures, retry_in_ms, events });
      await signal.sleep(retry_in_ms, { until_stop: true });
    }
  }
  if (may_own) await unitOfWork.run((tx) => tx.subscriptions.release(name, token)).catch(() => undefined);
}

/** A call of a handler that failed, with its events. */
class FailedRun extends Error {
  readonly range: NonNullable<SubscriptionFailure['events']>;

  constructor(cause: unknown, events: readonly Event[]) {
    super('the handler of a subscription failed', { cause });
    this.range = { first_id: events[0]!.id, last_id: events.at(-1)!.id, count: events.length };
  }
}
