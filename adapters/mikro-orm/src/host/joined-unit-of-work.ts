/**
 * Units of work inside a transaction of the host. Each call is within a savepoint: a call that fails
 * leaves the transaction as it was, and the host may continue with it or roll it back. Nothing here
 * begins, commits or repeats a transaction.
 */
import { createHandleQueue, type HostTransaction, type UnitOfWork, UnusableTransaction } from '@tallystick/kernel';
import { Kysely } from 'kysely';
import type { Connection } from '../connection/connection.ts';
import { codeOf, faultOf } from '../connection/faults.ts';
import type { Session, Tables } from '../connection/session.ts';
import { hostDialect, type StatementNotes } from './host-dialect.ts';
import { unusable } from './host-errors.ts';
import { type OpenedHost, savepoint } from './opened-host.ts';
import { openOnPostgres } from './postgres-host.ts';
import { openOnSqlite } from './sqlite-host.ts';

/** The unit of work of calls with `{ tx }`. */
export function joinedUnitOfWork<Tx>(
  connection: Connection,
  stores: (session: Session) => Tx,
  byte_columns: ReadonlySet<string>,
  host: HostTransaction,
): UnitOfWork<Tx> {
  async function open(): Promise<OpenedHost> {
    if (host.dialect !== connection.dialect) {
      const given = host.dialect === 'sqlite' ? 'SQLite' : 'Postgres';
      const own = connection.dialect === 'sqlite' ? 'SQLite' : 'Postgres';
      throw new UnusableTransaction(
        `the transaction given as { tx } is one of ${given}, and this instance is on ${own}: pass a transaction of its own database`,
      );
    }
    return connection.dialect === 'sqlite'
      ? await openOnSqlite(connection, host)
      : await openOnPostgres(connection, host);
  }

  /** Leaves the transaction as it was before the call, whatever failed. */
  async function undo(): Promise<void> {
    await execute(`rollback to savepoint ${savepoint}`);
    await execute(`release savepoint ${savepoint}`);
  }

  async function execute(text: string): Promise<void> {
    await host.execute({ text, values: [] });
  }

  async function callOnce<Result>(work: (tx: Tx) => Promise<Result>, only_reads: boolean): Promise<Result> {
    const opened = await open();
    const notes: StatementNotes = { settings_changed: false };
    const db = new Kysely<Tables>({ dialect: hostDialect(host, byte_columns, notes) });
    try {
      const last: (() => Promise<void>)[] = [];
      const session: Session = {
        dialect: host.dialect,
        db,
        // The transaction is the host's, and its code waits for the call.
        giveWay: () => undefined,
        beforeCommit: (write) => last.push(write),
      };
      const result = await work(stores(session));
      for (const write of last) await write();
      if (only_reads) {
        // Also restores the settings.
        await undo();
      } else {
        await execute(`release savepoint ${savepoint}`);
        await opened.restore(notes);
      }
      return result;
    } catch (error) {
      // A connection that is lost has no transaction any more.
      await undo().catch(() => undefined);
      throw error;
    }
  }

  async function call<Result>(work: (tx: Tx) => Promise<Result>, only_reads: boolean): Promise<Result> {
    try {
      return await inLine(host.handle, () => connection.runOutermost(() => callOnce(work, only_reads)));
    } catch (error) {
      // A handle that only reads shows it by the first write.
      throw error instanceof UnusableTransaction || codeOf(error) === 'SQLITE_READONLY'
        ? unusable(error)
        : faultOf(error);
    }
  }

  return {
    run: (work) => call(work, false),
    read: (work) => call(work, true),
  };
}

/** A connection has one savepoint. */
const inLine = createHandleQueue();
