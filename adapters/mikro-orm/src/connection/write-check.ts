/**
 * Whether the database takes writes at present: a full disk or a standby still answers reads.
 * Decisions, and all other work, report their failures; a check beside them writes itself.
 */
import { Fault } from '@tallystick/kernel';
import { sql } from 'kysely';
import type { Connection } from './connection.ts';
import { codeOf, faultOf } from './faults.ts';
import { waitEnd } from './sqlite/turns.ts';

/** How long the outcome of the last write counts, milliseconds. */
const counts_ms = 5_000;

/** How long a check waits for the lock of SQLite, milliseconds. Another writer is no failure. */
const lock_ms_max = 100;

export interface WriteCheck {
  /** Runs work that may write, and notes a failure. */
  noting<Result>(work: Promise<Result>): Promise<Result>;
  /** Throws the fault of the last write unless it is old, and then writes itself. */
  check(): Promise<void>;
}

export function writeCheckOn(connection: Connection): WriteCheck {
  let failure: Fault | null = null;
  const { monotonicNow } = connection.timers;
  let known_at_ms = Number.NEGATIVE_INFINITY;

  function note(error: unknown): void {
    const fault = faultOf(error);
    if (!(fault instanceof Fault) || !preventsWrites(codeOf(fault.cause))) return;
    failure = fault;
    known_at_ms = monotonicNow();
  }

  return {
    async noting(work) {
      try {
        return await work;
      } catch (error) {
        note(error);
        throw error;
      }
    },
    async check() {
      if (monotonicNow() - known_at_ms >= counts_ms) {
        // Other checks meanwhile report what was known before.
        known_at_ms = monotonicNow();
        try {
          await (connection.dialect === 'sqlite' ? writeOnSqlite(connection) : writeOnPostgres(connection));
          failure = null;
        } catch (error) {
          note(error);
        }
      }
      if (failure !== null) throw failure;
    },
  };
}

function preventsWrites(code: string | null): boolean {
  return code !== null && (/^SQLITE_(FULL|IOERR|READONLY)/.test(code) || ['25006', '53100', '58030'].includes(code));
}

async function writeOnSqlite(connection: Connection & { readonly dialect: 'sqlite' }): Promise<void> {
  if (connection.path === null) return;
  const write = 'update tallystick_installation set id = id';
  await connection.immediately((database) => database.exec(write), waitEnd(connection.timers, lock_ms_max));
}

/**
 * An update could find room in its page. The rows of a function that do not fit into memory are kept
 * in a temporary file, which needs new room on the disk, and leaves nothing behind.
 */
async function writeOnPostgres({ look_ups }: Connection & { readonly dialect: 'postgres' }): Promise<void> {
  await look_ups.transaction().execute(async (db) => {
    await sql`set local work_mem = '64kB'`.execute(db);
    const { rows } = await sql<{ readonly only_reads: boolean }>`
      select current_setting('transaction_read_only')::boolean as only_reads,
        (select count(*) from generate_series(1, 20000)) as written`.execute(db);
    if (rows[0]!.only_reads) throw Object.assign(new Error('the database only reads'), { code: '25006' });
  });
}
