/**
 * What the subscriptions of one process do together: they look for events with one timer, read the
 * same events once, and extend their leases and move their positions in one transaction.
 */
import type { Lease, Timers } from '@tallystick/kernel';
import { gathering } from './gathering.ts';
import {
  type HorizonReading,
  matchesSubscription,
  type OwnedMove,
  type SubscribedEvents,
  type SubscriptionDatabase,
  type SubscriptionFilter,
} from './ports.ts';
import { createWakeable, type WakeableControl } from './wakeable.ts';

/** How often the owner of a subscription extends its lease, milliseconds. */
export const renew_ms = 2_000;

/** How often a process looks whether the owner has died. */
const standby_ms = 1_000;

/** The wait for events begins with the first and doubles up to the second. */
const idle_ms_min = 50;
const idle_ms_max = 1_000;

/** The most subscriptions that are read, and whose positions move, in one transaction. */
const gathered_max = 1_000;

/** The most that begin to handle events in one turn of the event loop. */
const woken_max = 50;

/** The most whose leases begin or end in one transaction: each needs statements of its own. */
const leased_max = 100;

export interface LogFollower {
  /**
   * Resolves with the id up to which the log is final once that is above the position; with null
   * when this process no longer owns the subscription, or when the signal stops. Extends the lease
   * meanwhile. Rejects when the database fails.
   */
  wait(position: OwnedPosition, signal: WakeableControl): Promise<number | null>;
  /** See `SubscriptionStore.read`. */
  read(reading: EventReading): Promise<SubscribedEvents>;
  /** See `SubscriptionStore.advance`. */
  advance(move: OwnedMove): Promise<boolean>;
  /**
   * The position, or why there is none. Reads first, so that a process on standby writes nothing.
   */
  claim(claim: Claim): Promise<number | 'not_free' | 'removed'>;
  release(owned: { readonly name: string; readonly token: string }): Promise<void>;
  /** Waits until it is time to look again whether the owner of a subscription has died. */
  standBy(signal: WakeableControl): Promise<void>;
  /** Events may have been committed: looks at once. */
  wake(): void;
}

export interface EventReading {
  readonly filter: SubscriptionFilter;
  readonly after_id: number;
  readonly until_id: number;
  readonly limit: number;
}

export interface Claim {
  readonly name: string;
  readonly filter: SubscriptionFilter;
  readonly lease: Lease;
  /** This process may own it already, also after a failure. */
  readonly may_own: boolean;
}

interface LogFollowerPorts extends Pick<SubscriptionDatabase, 'unitOfWork'>, Pick<Timers, 'after' | 'monotonicNow'> {
  readonly readHorizon: () => Promise<HorizonReading>;
}

/** The position of a subscription that waits for events. */
export interface OwnedPosition {
  readonly passed_id: number;
  /** The move that stores it and extends the lease. */
  move(): OwnedMove;
  /** The move is committed. */
  moved(): void;
}

interface Waiting {
  readonly position: OwnedPosition;
  readonly signal: WakeableControl;
  is_lost: boolean;
  readonly failed: (error: unknown) => void;
}

export function createLogFollower({ unitOfWork, after, monotonicNow, readHorizon }: LogFollowerPorts): LogFollower {
  const waiting = new Set<Waiting>();
  const looking = createWakeable(after);
  let is_looking = false;
  let final_id = 0;
  const standing_by = new Set<WakeableControl>();
  let cancelStandby = (): void => {};

  async function look(): Promise<void> {
    is_looking = true;
    let idle_ms = idle_ms_min;
    let renew_at_ms = monotonicNow() + renew_ms;
    while (waiting.size > 0) {
      try {
        ({ final_id } = await readHorizon());
        if (monotonicNow() >= renew_at_ms) {
          renew_at_ms = monotonicNow() + renew_ms;
          await renew([...waiting]);
        }
      } catch (error) {
        for (const each of waiting) each.failed(error);
        waiting.clear();
        break;
      }
      const behind = [...waiting].filter(({ position }) => final_id > position.passed_id);
      for (let from = 0; from < behind.length; from += woken_max) {
        for (const { signal } of behind.slice(from, from + woken_max)) signal.wake();
        // What has arrived meanwhile, for example a purchase, comes first.
        await new Promise<void>((resolve) => after(0, resolve));
      }
      const was_woken = await looking.sleep(Math.max(0, Math.min(idle_ms, renew_at_ms - monotonicNow())));
      idle_ms = was_woken || behind.length > 0 ? idle_ms_min : Math.min(2 * idle_ms, idle_ms_max);
    }
    is_looking = false;
  }

  /** Extends the leases of those that wait, and stores their positions. */
  async function renew(renewed: readonly Waiting[]): Promise<void> {
    const moves = renewed.map(({ position }) => position.move());
    const moved = await unitOfWork.run((tx) => tx.subscriptions.advanceAll(moves));
    for (const [at, each] of renewed.entries()) {
      if (!waiting.has(each)) continue;
      if (moved.has(moves[at]!.name)) {
        each.position.moved();
      } else {
        each.is_lost = true;
        each.signal.wake();
      }
    }
  }

  async function readGroup(group: readonly EventReading[]): Promise<readonly SubscribedEvents[]> {
    const { after_id, until_id } = group[0]!;
    const limit_max = Math.max(...group.map(({ limit }) => limit));
    const read = await unitOfWork.read((tx) =>
      tx.subscriptions.read(filterOfAll(group.map(({ filter }) => filter)), after_id, until_id, limit_max),
    );
    if (group.length === 1) return [read];
    return group.map(({ filter, limit }) => {
      const matching = read.events.filter((event) => matchesSubscription(filter, event));
      // Each handler has events of its own, which it may change.
      const events = matching.slice(0, limit).map((event) => structuredClone(event));
      return { events, passed_id: matching.length > limit ? events.at(-1)!.id : read.passed_id };
    });
  }

  return {
    async wait(position, signal) {
      if (final_id > position.passed_id) return final_id;
      const failure = Promise.withResolvers<never>();
      failure.promise.catch(() => undefined);
      const its: Waiting = { position, signal, is_lost: false, failed: failure.reject };
      waiting.add(its);
      try {
        if (!is_looking) void look();
        await Promise.race([signal.sleep(null), failure.promise]);
      } finally {
        waiting.delete(its);
        if (waiting.size === 0) looking.wake();
      }
      return its.is_lost || signal.is_stopped ? null : final_id;
    },
    read: gathering(gathered_max, async (readings) => {
      const groups = Map.groupBy(readings, ({ after_id, until_id }) => `${after_id} ${until_id}`);
      const results = new Map<EventReading, SubscribedEvents>();
      for (const group of groups.values()) {
        const of_group = await readGroup(group);
        for (const [at, reading] of group.entries()) results.set(reading, of_group[at]!);
      }
      return readings.map((reading) => results.get(reading)!);
    }),
    advance: gathering(gathered_max, async (moves) => {
      const moved = await unitOfWork.run((tx) => tx.subscriptions.advanceAll(moves));
      return moves.map(({ name }) => moved.has(name));
    }),
    claim: gathering(gathered_max, async (claims) => {
      const listed = await unitOfWork.read((tx) => tx.subscriptions.list());
      const known = new Map(listed.map((subscription) => [subscription.name, subscription]));
      const isFree = ({ name, lease, may_own }: Claim): boolean =>
        may_own || (known.get(name)!.lease_until_machine_ms ?? 0) <= lease.machine_ms;
      const free = claims.filter((claim) => known.has(claim.name) && isFree(claim));
      const claimed = new Map<string, number | null>();
      for (let from = 0; from < free.length; from += leased_max) {
        await unitOfWork.run(async (tx) => {
          for (const { name, filter, lease } of free.slice(from, from + leased_max)) {
            claimed.set(name, await tx.subscriptions.claim(name, filter, lease));
          }
        });
      }
      return claims.map(({ name }) => (known.has(name) ? (claimed.get(name) ?? 'not_free') : 'removed'));
    }),
    release: gathering(leased_max, async (released) => {
      await unitOfWork.run(async (tx) => {
        for (const { name, token } of released) await tx.subscriptions.release(name, token);
      });
      return released.map(() => undefined);
    }),
    async standBy(signal) {
      standing_by.add(signal);
      // One timer for all of them: they look together.
      if (standing_by.size === 1) {
        cancelStandby = after(standby_ms, () => {
          for (const each of standing_by) each.wake();
          standing_by.clear();
        });
      }
      await signal.sleep(null);
      if (standing_by.delete(signal) && standing_by.size === 0) cancelStandby();
    },
    wake: looking.wake,
  };
}

/** What any of them asks for. */
function filterOfAll(filters: readonly SubscriptionFilter[]): SubscriptionFilter {
  const [first] = filters;
  const types = new Set<string>();
  for (const { event_types } of filters) for (const type of event_types ?? []) types.add(type);
  return {
    event_types: filters.some(({ event_types }) => event_types === null) ? null : [...types].sort(),
    company_id: filters.every(({ company_id }) => company_id === first!.company_id) ? first!.company_id : null,
  };
}
