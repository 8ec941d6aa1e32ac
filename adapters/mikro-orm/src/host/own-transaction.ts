import type { OwnTransaction } from '@tallystick/events';
import { type HostTransaction, UnusableTransaction } from '@tallystick/kernel';
import type { Database } from 'better-sqlite3';
import type { PoolClient } from 'pg';
import { closeNow } from '../connection/closing.ts';
import type { Connection, PostgresConnection, SqliteConnection } from '../connection/connection.ts';
import { faultOf } from '../connection/faults.ts';
import { own_types } from '../connection/postgres/postgres-types.ts';
import { type Guard, guardedClient, guardedDatabase } from './guarded-handle.ts';
import { hostSearchPath } from './host-search-path.ts';
import { placeOf } from './postgres-host.ts';

/** Begins a transaction that the caller ends. On SQLite every other writer waits until then. */
export async function beginOwn(connection: Connection): Promise<OwnTransaction> {
  try {
    return await connection.runOutermost(() =>
      connection.dialect === 'sqlite' ? beginOnSqlite(connection) : beginOnPostgres(connection),
    );
  } catch (error) {
    throw faultOf(error);
  }
}

/** An end of the transaction that happens once: `commit` after it rejects, `rollback` does nothing. */
function endings(guard: Guard, commit: () => Promise<void>, rollback: () => Promise<void>) {
  return {
    async commit() {
      if (guard.is_over) throw new UnusableTransaction('the transaction is over already: nothing was committed');
      guard.is_over = true;
      await commit().catch((error: unknown) => {
        throw faultOf(error);
      });
    },
    async rollback() {
      if (guard.is_over) return;
      guard.is_over = true;
      await rollback().catch((error: unknown) => {
        throw faultOf(error);
      });
    },
  };
}

async function beginOnSqlite(connection: SqliteConnection): Promise<OwnTransaction> {
  const begun = await connection.begin();
  const guard: Guard = { is_over: false, in_progress: 0 };
  const native = guardedDatabase(begun.database, guard);
  return { host: hostOfDatabase(native), native, ...endings(guard, begun.commit, begun.rollback) };
}

function hostOfDatabase(database: Database): HostTransaction {
  return {
    dialect: 'sqlite',
    handle: database,
    async execute({ text, values }) {
      const statement = database.prepare<unknown[], Record<string, unknown>>(text);
      const given = values.map((value) => (typeof value === 'boolean' ? Number(value) : value));
      if (statement.reader) return { rows: statement.all(...given), changes: 0 };
      return { rows: [], changes: statement.run(...given).changes };
    },
  };
}

async function beginOnPostgres(connection: PostgresConnection): Promise<OwnTransaction> {
  const { pool } = connection;
  // Statements of the host find its own tables; calls that join the transaction find ours.
  const path = await hostSearchPath(connection);
  // Calls that join need it. Read later, it could wait for a connection that waits for the call.
  await placeOf(connection);
  const client = await pool.connect();
  const guard: Guard = { is_over: false, in_progress: 0 };
  const native = guardedClient(client, guard);
  try {
    await client.query(`begin; select set_config('search_path', ${client.escapeLiteral(path)}, true)`);
  } catch (error) {
    client.release(true);
    throw error;
  }

  async function end(text: 'commit' | 'rollback'): Promise<void> {
    let has_failed = true;
    try {
      const { command } = await client.query(text);
      has_failed = false;
      if (command.toLowerCase() !== text) {
        throw new UnusableTransaction('a statement of the transaction had failed, so it was rolled back');
      }
    } finally {
      // A failed client may be within the transaction: closing it ends both.
      client.release(has_failed);
    }
  }

  return {
    host: hostOfClient(native),
    native,
    ...endings(
      guard,
      () => end('commit'),
      async () => {
        if (guard.in_progress > 0) await cancel(pool, client);
        await end('rollback');
      },
    ),
  };
}

/** Ends the statement in progress, behind which a rollback would wait. */
async function cancel(pool: PostgresConnection['pool'], client: PoolClient): Promise<void> {
  const { processID: process_id } = client as PoolClient & { readonly processID: number };
  await pool.query('select pg_cancel_backend($1)', [process_id]).catch(() => closeNow(client));
}

function hostOfClient(client: PoolClient): HostTransaction {
  return {
    dialect: 'postgres',
    handle: client,
    async execute({ text, values }) {
      const { rows, rowCount } = await client.query<Record<string, unknown>>({
        text,
        values: [...values],
        types: own_types,
      });
      return { rows, changes: rowCount ?? 0 };
    },
  };
}
