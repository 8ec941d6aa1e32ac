import type { Ledger } from '@tallystick/cards';
import type { UnitOfWork } from '@tallystick/kernel';

/** One process of the service, from its start to its crash, over storage that outlives it. */
export interface Life<Tx> {
  readonly unitOfWork: UnitOfWork<Tx>;
  readonly ledger: Ledger;
  /** Runs work of the process. Rejects at a crash, whatever becomes of the work. */
  run<Result>(work: () => Promise<Result>): Promise<Result>;
  /**
   * Crashes. Of the work in flight, this many transactions still commit, but nobody hears of it. The
   * others are rolled back.
   */
  end(commits: number): Promise<{ readonly committed: number; readonly rolled_back: number }>;
}

export function beginLife<Tx>(storage: { readonly unitOfWork: UnitOfWork<Tx>; readonly ledger: Ledger }): Life<Tx> {
  const running = new Set<Promise<unknown>>();
  const { promise: crashed, reject } = Promise.withResolvers<never>();
  crashed.catch(() => {});
  let commits_left = Number.POSITIVE_INFINITY;
  let rolled_back = 0;

  function commit(): void {
    if (commits_left > 0) {
      commits_left -= 1;
      return;
    }
    rolled_back += 1;
    throw new Error('the process has crashed');
  }

  const folding: Ledger['pass'] = (lookups, fold, bounds) =>
    storage.ledger.pass(
      lookups,
      (state) => {
        const folded = fold(state);
        commit();
        return folded;
      },
      bounds,
    );

  return {
    unitOfWork: {
      run: (work) =>
        storage.unitOfWork.run(async (tx) => {
          const result = await work(tx);
          commit();
          return result;
        }),
      read: (work) => storage.unitOfWork.read(work),
    },
    ledger: { ...storage.ledger, pass: folding },
    run(work) {
      const ended = work().finally(() => running.delete(ended));
      running.add(ended);
      return Promise.race([ended, crashed]);
    },
    async end(commits) {
      commits_left = commits;
      reject(new Error('the process has crashed'));
      await Promise.allSettled(running);
      const committed = commits - commits_left;
      commits_left = 0;
      return { committed, rolled_back };
    },
  };
}
