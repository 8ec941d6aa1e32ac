/**
 * The transaction of one call of a handler.
 *
 *   unused ──first use──> held ──finish──> over
 *   held ──on SQLite, after 20 ms──> let go ──next use, or finish──> held
 *   unused, held, let go ──5 s after the first use, or abandoned──> over
 *
 * On SQLite nobody else writes while it is held, so a handler that waits for something must not
 * hold it (ADR 0060). It is rolled back then, and its statements are gathered. The next use repeats
 * them in a new transaction, and each must have the result that the handler has seen.
 */
import {
  type HostResult,
  type HostStatement,
  type HostTransaction,
  type Timers,
  UnusableTransaction,
} from '@tallystick/kernel';
import type { OwnTransaction, SubscriptionDatabase } from './ports.ts';

/** A transaction is rolled back for good this long after its first use, milliseconds. */
export const transaction_ms_max = 5_000;

/** On SQLite a handler holds the write lock for at most this time without a break, milliseconds. */
const hold_ms_max = 20;

/** Repeating the statements takes at most this time, before the time of the hold begins. */
const repeat_ms_max = 200;

/**
 * The transaction of one call of a handler. It begins at its first use, and commits together with
 * the position of the subscription when the handler resolves. Five seconds after its first use it
 * is rolled back. Use it only until the handler resolves.
 *
 * On SQLite it is not held while the handler waits for something else: what was executed is rolled
 * back, and executed again with the next statement or at the end. The transaction fails if a
 * statement has another result then.
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
   * or Drizzle. Do not end the transaction with it. On SQLite the transaction is rolled back for
   * good 20 ms after this call unless the handler has resolved.
   */
  native(): Promise<object>;
  /** For calls of Tallystick that take part in the transaction: `{ tx }`. */
  readonly host: HostTransaction;
}

const has_ended = 'the handler of this transaction has ended';
const slow_work = 'do slow work before the first use of tx';

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

/** One transaction of the database, from its first use until it is let go or over. */
interface Hold {
  readonly wanted: PromiseWithResolvers<void>;
  readonly begun: PromiseWithResolvers<OwnTransaction>;
  readonly left: PromiseWithResolvers<void>;
  readonly running: Set<Promise<unknown>>;
  is_wanted: boolean;
  /** When it began; null before. */
  since_ms: number | null;
  cancelTimer(): void;
}

function newHold(): Hold {
  const begun = Promise.withResolvers<OwnTransaction>();
  begun.promise.catch(() => undefined);
  const [wanted, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  return { wanted, begun, left, running: new Set(), is_wanted: false, since_ms: null, cancelTimer() {} };
}

type LazyTransactionPorts = Pick<SubscriptionDatabase, 'begin' | 'dialect'> & Pick<Timers, 'after' | 'monotonicNow'>;

/**
 * A transaction that begins at its first use. `fence` is its first work, and rejects when this
 * process no longer owns the subscription.
 */
export function lazyTransaction(
  { begin, dialect, after, monotonicNow }: LazyTransactionPorts,
  fence: (host: HostTransaction) => Promise<void>,
): LazyTransaction {
  const is_let_go = dialect === 'sqlite';
  /** What the handler has executed, and the results that it has seen. */
  const executed: { readonly statement: HostStatement; readonly seen: string }[] = [];
  let hold = newHold();
  let is_begun = false;
  let has_native = false;
  /** Why the transaction cannot be used any more. */
  let end: string | null = null;
  let is_finishing = false;
  let cancelTimer: (() => void) | null = null;
  /** The end of the transaction that was let go. */
  let rolling_back = Promise.resolve();
  const expired = Promise.withResolvers<never>();
  expired.promise.catch(() => undefined);

  /**
   * Begins transactions in the asynchronous context of the call of `lazyTransaction`. A use may be
   * within a call of Tallystick with `{ tx: host }`, in whose context no transaction may begin.
   */
  async function beginWhenWanted(): Promise<void> {
    for (;;) {
      const its = hold;
      await its.wanted.promise;
      await open(its).then(its.begun.resolve, its.begun.reject);
      await its.left.promise;
      // Another process waits for the lock by trying again and again.
      await Promise.all([rolling_back, new Promise<void>((resolve) => after(hold_ms_max, resolve))]);
    }
  }
  void beginWhenWanted();

  async function open(its: Hold): Promise<OwnTransaction> {
    const own = await begin();
    try {
      if (end !== null) throw new UnusableTransaction(end);
      cancelTimer ??= after(transaction_ms_max, () =>
        expire(`the transaction of the handler was rolled back ${transaction_ms_max / 1_000} seconds after it began`),
      );
      await fence(own.host);
      await repeat(own.host);
      its.since_ms = monotonicNow();
      if (is_let_go) its.cancelTimer = after(hold_ms_max, letGo);
      return own;
    } catch (error) {
      await own.rollback().catch(() => undefined);
      throw error;
    }
  }

  async function repeat(host: HostTransaction): Promise<void> {
    const since_ms = monotonicNow();
    for (const { statement, seen } of executed) {
      if (toText(await host.execute(statement)) !== seen) {
        const reason = 'what a statement of the handler has read was changed while the handler waited';
        throw new UnusableTransaction(`${reason}: ${slow_work}`);
      }
      if (end !== null) throw new UnusableTransaction(end);
      if (monotonicNow() - since_ms > repeat_ms_max) {
        throw new UnusableTransaction('the statements of the handler take too long: execute fewer in one call');
      }
    }
  }

  /** Lets others write. */
  function letGo(): void {
    if (end !== null || is_finishing) return;
    if (has_native) {
      expire(`the transaction of the handler was rolled back ${hold_ms_max} ms after tx.native(): ${slow_work}`);
      return;
    }
    const left = hold;
    hold = newHold();
    left.cancelTimer();
    rolling_back = rollBack(left);
    left.left.resolve();
  }

  /** The transaction for a statement that is sent now. */
  function forStatement(): Hold {
    // Statements without a pause between them let no timer run.
    const { since_ms } = hold;
    if (is_let_go && since_ms !== null && monotonicNow() - since_ms >= hold_ms_max) letGo();
    return use();
  }

  function use(): Hold {
    if (end !== null) throw new UnusableTransaction(end);
    is_begun = true;
    hold.is_wanted = true;
    hold.wanted.resolve();
    return hold;
  }

  function expire(reason: string): void {
    expired.reject(new UnusableTransaction(reason));
    void stop(reason);
  }

  async function stop(reason: string): Promise<void> {
    // A rollback between the last statements would let the rest of them commit alone.
    if (is_finishing) return;
    end ??= reason;
    cancelTimer?.();
    hold.cancelTimer();
    await (hold.is_wanted ? rollBack(hold) : rolling_back);
  }

  async function rollBack({ begun, running }: Hold): Promise<void> {
    const own = await begun.promise.catch(() => null);
    // A statement of Postgres is cancelled by the rollback.
    if (is_let_go) await Promise.all(running);
    await own?.rollback().catch(() => undefined);
  }

  /** Runs the work in the transaction, which is not let go meanwhile. */
  async function within<Result>(work: (own: OwnTransaction) => Promise<Result>): Promise<Result> {
    const its = forStatement();
    const running = its.begun.promise.then((own) => {
      if (end !== null) throw new UnusableTransaction(end);
      return work(own);
    });
    const settled = running.then(
      () => undefined,
      () => undefined,
    );
    its.running.add(settled);
    try {
      return await running;
    } finally {
      its.running.delete(settled);
    }
  }

  const host: HostTransaction = {
    dialect,
    handle: {},
    execute: (statement) =>
      within(async ({ host: own_host }) => {
        const result = await own_host.execute(statement);
        if (is_let_go) executed.push({ statement, seen: toText(result) });
        return result;
      }),
  };

  return {
    tx: {
      query: (text, values = []) => host.execute({ text, values }),
      native() {
        has_native = true;
        return within(async (own) => own.native);
      },
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
      let its: Hold;
      let own: OwnTransaction;
      do {
        its = use();
        own = await its.begun.promise;
        while (its.running.size > 0) await Promise.all(its.running);
      } while (its !== hold);
      if (end !== null) throw new UnusableTransaction(end);
      end = has_ended;
      is_finishing = true;
      cancelTimer?.();
      its.cancelTimer();
      let is_kept = false;
      try {
        is_kept = await last(own.host);
      } finally {
        if (!is_kept) await own.rollback().catch(() => undefined);
      }
      if (is_kept) await own.commit();
      return is_kept;
    },
    abandon: () => stop('the transaction of the handler was rolled back'),
  };
}

/** Distinguishes results. */
function toText({ rows, changes }: HostResult): string {
  return JSON.stringify([rows, changes], (_, value) => (typeof value === 'bigint' ? `${value}n` : value));
}
