import { createFairShare, type Timers, type UnitOfWork } from '@tallystick/kernel';
import { Overloaded } from './admission.ts';

/** The transactions of requests that run at the same time, unless configured otherwise. */
export const transactions_max_default = 20;

/** How long a request waits for its turn, milliseconds. */
const wait_ms_max = 5_000;

/**
 * Places that owners share: the connections to the database between companies, so that requests that
 * wait, for example for a locked card, leave connections to all others (ADR 0030), and the places of
 * a door between its callers (ADR 0059).
 */
export interface Shares {
  /**
   * Runs the work when its owner has a share. Rejects with `Overloaded` when it has none for
   * `wait_ms_max`, and then the work does not run. Turns go round the senders, and those of one
   * sender round its owners: who invents owners gains no turn. A sender that is absent is the owner.
   */
  run<Result>(owner: string, work: (place: Place) => Promise<Result>, sender?: string): Promise<Result>;
}

/** The place of work that has its turn. */
export interface Place {
  /** Gives the place up during a wait, one at a time, and then waits for a place again. */
  outside<Result>(wait: () => Promise<Result>): Promise<Result>;
  /** Gives the place up before the work ends: the rest of it takes none. */
  leave(): void;
}

/** Shares of `max` places. */
export function createShares(max: number, { after }: Pick<Timers, 'after'>): Shares {
  const share = createFairShare(max);
  /** The starts of work that waits, by sender and owner, each in the order of their next turns. */
  const waiting = new Map<string, Map<string, Set<() => void>>>();

  /** Begins what may begin, one of each sender after another. */
  function beginWaiting(): void {
    // A sender or an owner that is added again comes after all others.
    for (const [sender, by_owner] of waiting) {
      for (const [owner, starts] of by_owner) {
        if (!share.mayTake(owner)) continue;
        const [start] = starts;
        remove(sender, owner, start!);
        if (starts.size > 0) {
          by_owner.delete(owner);
          by_owner.set(owner, starts);
        }
        if (by_owner.size > 0) {
          waiting.delete(sender);
          waiting.set(sender, by_owner);
        }
        share.take(owner);
        start!();
        break;
      }
    }
  }

  function remove(sender: string, owner: string, start: () => void): void {
    const by_owner = waiting.get(sender);
    by_owner?.get(owner)?.delete(start);
    if (by_owner?.get(owner)?.size === 0) by_owner.delete(owner);
    if (by_owner?.size === 0) waiting.delete(sender);
  }

  /** Resolves when the owner has a share for this work. */
  function turnOf(sender: string, owner: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const by_owner = waiting.get(sender) ?? new Map<string, Set<() => void>>();
      waiting.set(sender, by_owner);
      const start = (): void => {
        cancel();
        resolve();
      };
      const cancel = after(wait_ms_max, () => {
        remove(sender, owner, start);
        reject(new Overloaded());
      });
      by_owner.set(owner, (by_owner.get(owner) ?? new Set()).add(start));
    });
  }

  /** Takes a share at once, and then returns undefined, or resolves when the owner has its turn. */
  function take(sender: string, owner: string): Promise<void> | undefined {
    if (waiting.get(sender)?.has(owner) || !share.mayTake(owner)) return turnOf(sender, owner);
    share.take(owner);
    return undefined;
  }

  function release(owner: string): void {
    share.release(owner);
    beginWaiting();
  }

  return {
    async run(owner, work, sender = owner) {
      const turn = take(sender, owner);
      if (turn !== undefined) await turn;
      let is_inside = true;
      const leave = (): void => {
        if (is_inside) release(owner);
        is_inside = false;
      };
      try {
        return await work({
          leave,
          async outside(wait) {
            leave();
            try {
              return await wait();
            } finally {
              await take(sender, owner);
              is_inside = true;
            }
          },
        });
      } finally {
        leave();
      }
    },
  };
}

/** The same transactions, of which each takes a share of the owner. */
export function inShares<Tx>(shares: Shares, owner: string, { run, read }: UnitOfWork<Tx>): UnitOfWork<Tx> {
  return {
    run: (work) => shares.run(owner, () => run(work)),
    read: (work) => shares.run(owner, () => read(work)),
  };
}
