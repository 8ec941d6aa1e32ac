/**
 * The work of one process on one subscription.
 *
 *   standby ──claimed──> reading ──events──> handling ──committed──> reading
 *   handling ──the handler or the database fails──> waiting ──backoff──> standby
 *   reading, handling ──another process owns it──> standby
 *   standby ──the subscription was removed──> ended
 *   any ──stop──> ended: the lease is released
 *
 * One process owns the subscription by a lease, which it extends while it works.
 * `position-commit.ts` commits the position. What the subscriptions of a process can do together is
 * in `log-follower.ts`.
 */
import { drawLeaseToken, type Lease, type Random, type Timers } from '@tallystick/kernel';
import type { Event } from '../log/event-log.ts';
import { type LogFollower, renew_ms } from './log-follower.ts';
import { type OwnedMove, type SubscriptionDatabase, type SubscriptionFilter, subscription_batch_max } from './ports.ts';
import { FailedRun, handleAndCommit, type SubscriptionHandler } from './position-commit.ts';
import type { WakeableControl } from './wakeable.ts';

/** How long a process owns a subscription after its last sign of life, machine time. */
const lease_ms = 6_000;

/** The wait after a failure begins with the first and doubles up to the second. */
const retry_ms_min = 100;
const retry_ms_max = 30_000;

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
  readonly after: Timers['after'];
  /** Milliseconds of a clock that only goes forward. */
  readonly monotonicNow: () => number;
  /** Milliseconds of machine time, which leases use. */
  readonly machineNow: () => number;
  readonly random: Random;
  readonly log: LogFollower;
  readonly failed: (failure: SubscriptionFailure) => void;
  /** Another process removed the subscription. */
  readonly removed: (name: string) => void;
}

interface SubscriptionPlan {
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
  signal: WakeableControl,
): Promise<void> {
  const { monotonicNow, machineNow, random, log } = ports;
  const token = drawLeaseToken(random);
  let failures = 0;
  let may_own = false;
  /** Halved by failures, so that an event that cannot be handled is alone in the end. */
  let batch_max = subscription_batch_max;

  const lease = (): Lease => {
    const machine_ms = machineNow();
    return { token, machine_ms, until_machine_ms: machine_ms + lease_ms };
  };

  async function claim(): Promise<number | 'not_free' | 'removed'> {
    const claimed = await log.claim({ name, filter, lease: lease(), may_own });
    may_own = typeof claimed === 'number';
    return claimed;
  }

  /** Reads and handles events until another process owns the subscription, or until the stop. */
  async function own(claimed_id: number): Promise<void> {
    let stored_id = claimed_id;
    let passed_id = claimed_id;
    let renewed_ms = monotonicNow();
    const move = (): OwnedMove => ({ name, lease: lease(), from_id: stored_id, to_id: passed_id });
    const moved = (): void => {
      stored_id = passed_id;
      renewed_ms = monotonicNow();
      failures = 0;
    };
    while (!signal.is_stopped) {
      const final_id = await log.wait({ passed_id, move, moved }, signal);
      if (signal.is_stopped) break;
      if (final_id === null) return;
      if (monotonicNow() - renewed_ms >= 2 * renew_ms) {
        if (!(await log.advance(move()))) return;
        moved();
      }
      const next = await log.read({ filter, after_id: passed_id, until_id: final_id, limit: batch_max });
      if (next.events.length > 0) {
        const batch = { events: next.events.map(toSubscribed), from_id: stored_id, to_id: next.passed_id };
        if (!(await handleAndCommit(ports, { name, handler, lease }, batch, signal))) return;
        stored_id = next.passed_id;
        renewed_ms = monotonicNow();
        failures = 0;
        batch_max = Math.min(2 * batch_max, subscription_batch_max);
      }
      passed_id = next.passed_id;
    }
    if (passed_id > stored_id) await log.advance(move());
    await log.release({ name, token });
    may_own = false;
  }

  while (!signal.is_stopped) {
    try {
      const claimed = await claim();
      if (claimed === 'removed') {
        ports.removed(name);
        return;
      }
      if (claimed === 'not_free') await log.standBy(signal);
      else await own(claimed);
    } catch (error) {
      if (signal.is_stopped) break;
      failures += 1;
      const retry_in_ms = Math.min(retry_ms_min * 2 ** Math.min(failures - 1, 20), retry_ms_max);
      const events = error instanceof FailedRun ? error.range : null;
      if (events !== null) batch_max = Math.max(1, Math.floor(events.count / 2));
      ports.failed({ name, error: error instanceof FailedRun ? error.cause : error, failures, retry_in_ms, events });
      await signal.sleep(retry_in_ms, { until_stop: true });
    }
  }
  if (may_own) await log.release({ name, token }).catch(() => undefined);
}
