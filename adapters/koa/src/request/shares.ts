import type { UnitOfWork } from '@tallystick/kernel';
import { createFairShare } from '@tallystick/operations';
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
   * `wait_ms_max`, and then the work does not run.
   */
  run<Result>(owner: string, work: (outside: Outside) => Promise<Result>): Promise<Result>;
}

/**
 * Gives the place of the work up while it waits for something else, one thing at a time, and then
 * waits for a place again.
 */
export type Outside = <Result>(elsewhere: () => Promise<Result>) => Promise<Result>;

/** Shares of `max` places. */
export function createShares(max: number): Shares {
  const share = createFairShare(max);
  /** The starts of work that waits, by owner, in the order of the owners' next turns. */
  const waiting = new Map<string, (() => void)[]>();

  /** Begins what may begin, one of each owner after another. */
  function beginWaiting(): void {
    // An owner that is added again comes after all others.
    for (const [owner, starts] of waiting) {
      if (!share.mayTake(owner)) continue;
      const start = starts.shift();
      waiting.delete(owner);
      if (starts.length > 0) waiting.set(owner, starts);
      share.take(owner);
      start?.();
    }
  }

  /** Resolves when the owner has a share for this work. */
  function turnOf(owner: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const starts = waiting.get(owner) ?? [];
      waiting.set(owner, starts);
      const start = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        starts.splice(starts.indexOf(start), 1);
        if (starts.length === 0) waiting.delete(owner);
        reject(new Overloaded());
      }, wait_ms_max);
      starts.push(start);
    });
  }

  /** Takes a share at once, and then returns undefined, or resolves when the owner has its turn. */
  function take(owner: string): Promise<void> | undefined {
    if (waiting.has(owner) || !share.mayTake(owner)) return turnOf(owner);
    share.take(owner);
    return undefined;
  }

  function release(owner: string): void {
    share.release(owner);
    beginWaiting();
  }

  return {
    async run(owner, work) {
      const turn = take(owner);
      if (turn !== undefined) await turn;
      let is_inside = true;
      try {
        return await work(async (elsewhere) => {
          release(owner);
          is_inside = false;
          try {
            return await elsewhere();
          } finally {
            await take(owner);
            is_inside = true;
          }
        });
      } finally {
        if (is_inside) release(owner);
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
