/**
 * The commit of a subscription's position: in the transaction of the handler, together with what the
 * handler wrote. A process that was paused may believe that it still owns the subscription, so the
 * lease and the position are compared again in this transaction, with the row locked. Of two owners
 * one commits.
 */
import type { HostTransaction, Lease, Timers } from '@tallystick/kernel';
import type { Event } from '../log/event-log.ts';
import { type LogFollower, renew_ms } from './log-follower.ts';
import type { SubscriptionDatabase } from './ports.ts';
import { lazyTransaction, SubscriptionLost, type SubscriptionTx } from './subscription-tx.ts';
import type { Wakeable } from './wakeable.ts';

/**
 * Handles events. What it writes through `tx` is committed exactly once, together with the position
 * of the subscription. Rejects to have the same events again.
 */
export type SubscriptionHandler = (events: readonly Event[], tx: SubscriptionTx) => Promise<void>;

/** A handler of a subscription, and the lease by which this process owns the subscription. */
interface OwnedHandler {
  readonly name: string;
  readonly handler: SubscriptionHandler;
  readonly lease: () => Lease;
}

/** Events, and the move of the position that commits with their effects. */
interface Batch {
  readonly events: readonly Event[];
  readonly from_id: number;
  readonly to_id: number;
}

/**
 * Calls the handler with the events, and commits. Resolves with whether the events are handled and
 * this process still owns the subscription. Rejects with a `FailedRun`, and commits nothing, when
 * the handler or the database fails. A handler that does not use its transaction needs none: then
 * the position is written alone.
 */
export async function handleAndCommit(
  ports: SubscriptionDatabase & Pick<Timers, 'after' | 'monotonicNow'> & { readonly log: LogFollower },
  { name, handler, lease }: OwnedHandler,
  { events, from_id, to_id }: Batch,
  signal: Wakeable,
): Promise<boolean> {
  const advance = (to: number) => ports.log.advance({ name, lease: lease(), from_id, to_id: to });
  const advanceWithin = (host: HostTransaction, to: number): Promise<boolean> =>
    ports.joining(host).run((tx) => tx.subscriptions.advance(name, lease(), { from_id, to_id: to }));
  const lazy = lazyTransaction(ports, async (host) => {
    if (!(await advanceWithin(host, from_id))) throw new SubscriptionLost(name);
  });
  const stopRenewal = renewWhile(
    ports.after,
    () => !lazy.is_begun,
    () => advance(from_id),
  );
  let running: Promise<void> = Promise.resolve();
  try {
    running = (async () => await handler(events, lazy.tx))();
    await signal.untilAbandoned(Promise.race([running, lazy.expired]));
    await stopRenewal();
    if (lazy.endUnused()) return await advance(to_id);
    return await lazy.finish((host) => advanceWithin(host, to_id));
  } catch (error) {
    await stopRenewal();
    await lazy.abandon();
    // Two calls of a handler never overlap in a process.
    await signal.untilAbandoned(running).catch(() => undefined);
    if (error instanceof SubscriptionLost) return false;
    throw new FailedRun(error, events);
  }
}

/** Extends the lease during a long call. Its faults only let the lease expire. */
function renewWhile(
  after: Timers['after'],
  mayRenew: () => boolean,
  renew: () => Promise<boolean>,
): () => Promise<void> {
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

/** A call of a handler that failed, with its events. */
export class FailedRun extends Error {
  readonly range: { readonly first_id: number; readonly last_id: number; readonly count: number };

  constructor(cause: unknown, events: readonly Event[]) {
    super('the handler of a subscription failed', { cause });
    this.range = { first_id: events[0]!.id, last_id: events.at(-1)!.id, count: events.length };
  }
}
