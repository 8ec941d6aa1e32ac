import type { Ledger } from '@tallystick/cards';
import type { UnitOfWork } from '@tallystick/kernel';
import type { Connection } from './connection.ts';

/** Lets decisions use the database between the batches of a long work. */
export interface Resting {
  /**
   * Resolves after somewhat longer than the work was busy, milliseconds, if others used the database
   * since the last call. The time in which it waited for the lock of SQLite is not work: others had
   * the database. Others are a pass of this process that is not of a file, on SQLite a commit of another
   * process, on Postgres a decision of any process. Resolves at once otherwise.
   */
  rest(busy_ms: number): Promise<void>;
  /** The same transactions, each of which is followed by a rest. */
  after<Tx>(unitOfWork: UnitOfWork<Tx>): UnitOfWork<Tx>;
  /** The ledger, whose passes are counted as the work of others, except those of files. */
  counting(ledger: Ledger): Ledger;
}

/** The longest time that a batch is followed by, however long it took, milliseconds. */
const rest_ms_max = 2_000;

/** How much longer than the batch others have the database: their caches are cold after it. */
const rest_share = 1.25;

export function restingOn(connection: Connection): Resting {
  const { timers } = connection;
  let others = 0;
  let seen = { others: 0, version: 0 };
  let lock_wait_ms = 0;

  /** A number that changes with each commit of another connection, on Postgres with each decision. */
  async function versionNow(): Promise<number> {
    if (connection.dialect === 'sqlite') return await connection.dataVersion();
    const { rows } = await connection.pool.query<{ decisions: number }>(
      'select case when is_called then last_value else 0 end as decisions from tallystick_authorizations_id_seq',
    );
    return rows[0]!.decisions;
  }

  async function look(): Promise<boolean> {
    const now = { others, version: await versionNow() };
    const is_used = now.others !== seen.others || now.version !== seen.version;
    seen = now;
    return is_used;
  }

  function lockWait(): number {
    return connection.dialect === 'sqlite' ? connection.lockWaitMs() : 0;
  }

  async function rest(busy_ms: number): Promise<void> {
    // Requests that arrived while a pass blocked the process are read first.
    await timers.nextTurn();
    const is_used = await look();
    const waited_ms = lockWait() - lock_wait_ms;
    lock_wait_ms += waited_ms;
    if (!is_used) return;
    await timers.pause(Math.min(rest_ms_max, Math.max(0, busy_ms - waited_ms) * rest_share));
  }

  async function thenRest<Result>(work: () => Promise<Result>): Promise<Result> {
    const began_ms = timers.monotonicNow();
    const result = await work();
    await rest(timers.monotonicNow() - began_ms);
    return result;
  }

  return {
    rest,
    after: (unitOfWork) => ({
      run: (work) => thenRest(() => unitOfWork.run(work)),
      read: (work) => thenRest(() => unitOfWork.read(work)),
    }),
    counting: (ledger) => ({
      ...ledger,
      pass(messages, fold, bounds) {
        if (bounds?.is_of_file !== true) others += 1;
        return ledger.pass(messages, fold, bounds);
      },
    }),
  };
}
