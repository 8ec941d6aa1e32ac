/** The transactions outside the decision path that run at the same time. */
export const transactions_max = 20;

/** How long a request waits until its company has a share, milliseconds. */
const wait_ms_max = 5_000;

/** The company of the request has had no share for `wait_ms_max`. */
export class NoShare extends Error {
  override readonly name = 'NoShare';
}

/**
 * Shares the connections to the database between companies (for other keys: between keys). One
 * owner may use as many as are still free: one alone half of them, two a third each. So requests
 * that wait, for example for a locked card, leave connections to all others (ADR 0030).
 */
export interface Shares {
  /** Runs the work when its owner has a share. Rejects with `NoShare`, and then it does not run. */
  run<Result>(owner: string, work: () => Promise<Result>): Promise<Result>;
}

interface Owner {
  used: number;
  /** Each begins one work that waits. */
  readonly waiting: (() => void)[];
}

/** Shares of `max` connections. */
export function createShares(max: number = transactions_max): Shares {
  /** Those that use or want a connection, in the order of their next turns. */
  const owners = new Map<string, Owner>();
  let used = 0;

  const mayBegin = (owner: Owner): boolean => owner.used < max - used;

  function begin(owner: Owner): void {
    used += 1;
    owner.used += 1;
  }

  /** Begins what may begin, one of each owner after another. */
  function beginWaiting(): void {
    // An owner that is added again comes after all others.
    for (const [id, owner] of owners) {
      const [start] = owner.waiting;
      if (start === undefined || !mayBegin(owner)) continue;
      owner.waiting.shift();
      owners.delete(id);
      owners.set(id, owner);
      begin(owner);
      start();
    }
  }

  function forgetIdle(id: string, owner: Owner): void {
    if (owner.used === 0 && owner.waiting.length === 0) owners.delete(id);
  }

  return {
    async run(id, work) {
      const owner = owners.get(id) ?? { used: 0, waiting: [] };
      owners.set(id, owner);
      if (owner.waiting.length === 0 && mayBegin(owner)) begin(owner);
      else await turnIn(owner.waiting).finally(() => forgetIdle(id, owner));
      try {
        return await work();
      } finally {
        used -= 1;
        owner.used -= 1;
        forgetIdle(id, owner);
        beginWaiting();
      }
    },
  };
}

function turnIn(waiting: (() => void)[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const start = (): void => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(() => {
      waiting.splice(waiting.indexOf(start), 1);
      reject(new NoShare());
    }, wait_ms_max);
    waiting.push(start);
  });
}
