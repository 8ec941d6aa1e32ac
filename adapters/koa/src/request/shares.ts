import { createFairShare } from '@tallystick/operations';
import { Overloaded } from './admission.ts';

/** The transactions of requests that run at the same time, unless configured otherwise. */
export const transactions_max_default = 20;

/** How long a request waits for its turn, milliseconds. */
const wait_ms_max = 5_000;

/**
 * Shares the connections to the database between companies. So requests that wait, for example for
 * a locked card, leave connections to all others (ADR 0030).
 */
export interface Shares {
  /**
   * Runs the work when its owner has a share. Rejects with `Overloaded` when it has none for
   * `wait_ms_max`, and then the work does not run.
   */
  run<Result>(owner: string, work: () => Promise<Result>): Promise<Result>;
}

/** Shares of `max` connections. */
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

  return {
    async run(owner, work) {
      if (!waiting.has(owner) && share.mayTake(owner)) share.take(owner);
      else await turnOf(owner);
      try {
        return await work();
      } finally {
        share.release(owner);
        beginWaiting();
      }
    },
  };
}
