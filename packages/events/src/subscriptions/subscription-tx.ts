import { type HostResult, type HostTransaction, type Timers, UnusableTransaction } from '@tallystick/kernel';
import type { OwnTransaction, SubscriptionDatabase } from './ports.ts';

/**
 * A transaction is rolled back this long after it began, milliseconds: on SQLite no decision
 * commits while it is open.
 */
export const transaction_ms_max = 5_000;

/**
 * The transaction of one call of a handler. It begins at its first use, and commits together with
 * the position of the subscription when the handler resolves. Five seconds after it began it is
 * rolled back. Use it only until the handler resolves.
 */
export interface SubscriptionTx {
  /**
   * Runs one statement in the database's own dialect: parameters are `$1`, `$2` on Postgres and `?`
   * on SQLite. Rejects with the error of the driver, and with `UnusableTransaction` after the end
   * of the transaction.
   */
  query(text: string, values?: readonly unknown[]): Promise<HostResult>;
  /**
   * The `pg` client or the `better-sqlite3` database within the transaction, for example for Kysely
   * or Drizzle. Do not end the transaction with it.
   */
  native(): Promise<object>;
  /** For calls of Tallystick that take part in the transaction: `{ tx }`. */
  readonly host: HostTransaction;
}

const has_ended = 'the handler of this transaction has ended';

/** The transaction of a run, and how it ends. */
interface LazyTransaction {
  readonly tx: SubscriptionTx;
  readonly is_begun: boolean;
  /** Ends it unless it has begun. Returns whether it had not. */
  endUnused(): boolean;
  /** Rejects when the time is over. Never resolves. */
  readonly expired: Promise<never>;
  /**
   * Waits for the statements that the handler sent, does the last work, and commits if that
   * resolves with true, else rolls back. Returns whether it has committed.
   */
  finish(last: (host: HostTransaction) => Promise<boolean>): Promise<boolean>;
  /** Ends it without effect, also before it began. Does nothing once `finish` does the last work. */
  abandon(): Promise<void>;
}

/** The subscription belongs to another process now, or was removed. */
export class SubscriptionLost extends Error {
  override readonly name = 'SubscriptionLost';

  constructor(subscription: string) {
    super(`the subscription ${subscription} belongs to another process now`);
  }
}

/**
 * A transaction that begins at its first use. `fence` is its first work, and rejects when this
 * process no longer owns the subscription.
 */
export function lazyTransaction(
  { begin, dialect }: Pick<SubscriptionDatabase, 'begin' | 'dialect'>,
  after: Timers['after'],
  fence: (host: HostTransaction) => Promise<void>,
): LazyTransaction {
  const first_use = Promise.withResolvers<void>();
  // It begins in the asynchronous context of this call. The first use may be within a call of
  // Tallystick with `{ tx: host }`, in whose context no transaction may begin.
  const opening = first_use.promise.then(open);
  opening.catch(() => undefined);
  let is_begun = false;
  /** Why the transaction cannot be used any more. */
  let end: string | null = null;
  let rolling_back: Promise<void> | null = null;
  let is_finishing = false;
  let cancelTimer = (): void => {};
  const in_flight = new Set<Promise<unknown>>();
  const expired = Promise.withResolvers<never>();
  expired.promise.catch(() => undefined);

  async function open(): Promise<OwnTransaction> {
    const own = await begin();
    try {
      if (end !== null) throw new UnusableTransaction(end);
      cancelTimer = after(transaction_ms_max, () => {
        const reason = `the transaction of the handler was rolled back ${transaction_ms_max / 1_000} seconds after it began`;
        expired.reject(new UnusableTransaction(reason));
        void stop(reason);
      });
      await fence(own.host);
      return own;
    } catch (error) {
      cancelTimer();
      await own.rollback().catch(() => undefined);
      throw error;
    }
  }

  function own(): Promise<OwnTransaction> {
    if (end !== null) return Promise.reject(new UnusableTransaction(end));
    is_begun = true;
    first_use.resolve();
    return opening;
  }

  function stop(reason: string): Promise<void> {
    // A rollback between the last statements would let the rest of them commit alone.
    if (is_finishing) return Promise.resolve();
    end ??= reason;
    cancelTimer();
    rolling_back ??= (async () => {
      if (!is_begun) return;
      const begun = await opening.catch(() => null);
      await begun?.rollback().catch(() => undefined);
    })();
    return rolling_back;
  }

  async function execute(statement: Parameters<HostTransaction['execute']>[0]): Promise<HostResult> {
    const { host } = await own();
    if (end !== null) throw new UnusableTransaction(end);
    return await host.execute(statement);
  }

  function tracked<Result>(work: Promise<Result>): Promise<Result> {
    const settled = work.catch(() => undefined).finally(() => in_flight.delete(settled));
    in_flight.add(settled);
    return work;
  }

  const host: HostTransaction = {
    dialect,
    handle: {},
    execute: (statement) => tracked(execute(statement)),
  };

  return {
    tx: {
      query: (text, values = []) => host.execute({ text, values }),
      native: async () => (await tracked(own())).native,
      host,
    },
    get is_begun() {
      return is_begun;
    },
    expired: expired.promise,
    endUnused() {
      if (!is_begun) end ??= has_ended;
      return !is_begun;
    },
    async finish(last) {
      while (in_flight.size > 0) await Promise.all(in_flight);
      const begun = await own();
      if (end !== null) throw new UnusableTransaction(end);
      end = has_ended;
      is_finishing = true;
      cancelTimer();
      let is_kept = false;
      try {
        is_kept = await last(begun.host);
      } finally {
        if (!is_kept) await begun.rollback().catch(() => undefined);
      }
      if (is_kept) await begun.commit();
      return is_kept;
    },
    abandon: () => stop('the transaction of the handler was rolled back'),
  };
}
