import type { Ledger } from '@tallystick/cards';
import type { Connection } from './connection.ts';

/** Lets decisions use the database between the batches of a long work. */
export interface Resting {
  /**
   * Resolves after as long as the work was busy, in milliseconds, if others used the database since
   * the last call: a pass of this process that is not of a file, on SQLite a commit of another
   * process, on Postgres a transaction that waited for the cards of a file's pass. Resolves at once
   * otherwise.
   */
  rest(busy_ms: number): Promise<void>;
  /** Another transaction waits for the cards of a file's pass. */
  noteWaiting(): void;
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

  /** On SQLite a number that changes with each commit of another connection. */
  async function versionNow(): Promise<number> {
    if (connection.dialect !== 'sqlite') return 0;
    return await connection.dataVersion();
  }

  async function look(): Promise<boolean> {
    const now = { others, version: await versionNow() };
    const is_used = now.others !== seen.others || now.version !== seen.version;
    seen = now;
    return is_used;
  }

  return {
    async rest(busy_ms) {
      // Requests that arrived while a pass blocked the process are read first.
      await timers.nextTurn();
      if (!(await look())) return;
      await timers.pause(Math.min(rest_ms_max, busy_ms * rest_share));
    },
    noteWaiting() {
      others += 1;
    },
    counting: (ledger) => ({
      ...ledger,
      pass(messages, fold, bounds) {
        if (bounds?.is_of_file !== true) others += 1;
        return ledger.pass(messages, fold, bounds);
      },
    }),
  };
}
