import type { EventHorizon } from '@tallystick/events';
import type { Connection, PostgresConnection, SqliteConnection } from '../connection/connection.ts';
import { faultOf } from '../connection/faults.ts';
import { eventWritersOn } from './event-writers.ts';

/** How long a reading waits for the writers that it saw, milliseconds. They last a few. */
const wait_ms_max = 20;

/** How long a new subscription waits for open transactions, milliseconds. */
const now_ms_max = 1_000;

/** Gaps below the last id are looked for in this number of ids, when a transaction is stuck. */
const gaps_ids_max = 100_000;

/** How far the event log is final on one of the databases. */
export function eventHorizonOn(connection: Connection): EventHorizon {
  const horizon = connection.dialect === 'sqlite' ? horizonOnSqlite(connection) : horizonOnPostgres(connection);
  return {
    read: () => horizon.read().catch((error: unknown) => Promise.reject(faultOf(error))),
    now: () => horizon.now().catch((error: unknown) => Promise.reject(faultOf(error))),
  };
}

/** A transaction that writes holds the only write lock, so ids are in the order of the commits. */
function horizonOnSqlite(connection: SqliteConnection): EventHorizon {
  const lastId = (): Promise<number> =>
    connection.reading((database) => {
      const statement = database.prepare<[], number>(
        "select seq from sqlite_sequence where name = 'tallystick_events'",
      );
      return statement.pluck().get() ?? 0;
    });
  return {
    async read() {
      const last_id = await lastId();
      return { final_id: last_id, last_id };
    },
    now: lastId,
  };
}

/** See `EventWriters`. */
function horizonOnPostgres(connection: PostgresConnection): EventHorizon {
  const { pool, timers } = connection;
  const event_writers = eventWritersOn(connection);
  let final_id = 0;
  /** The ids up to here are final when these writers have ended. */
  let next: { readonly last_id: number; readonly writers: ReadonlySet<string> } | null = null;

  async function lastId(): Promise<number> {
    const { rows } = await pool.query<{ last_id: number }>(
      'select case when is_called then last_value else 0 end as last_id from tallystick_events_id_seq',
    );
    return rows[0]!.last_id;
  }

  const horizon: EventHorizon = {
    async read() {
      const last_id = await lastId();
      if (last_id === final_id) return { final_id, last_id };
      // The writers are read after the sequence.
      next ??= { last_id, writers: await event_writers.read() };
      const awaited = next;
      if (await event_writers.haveEnded(awaited.writers, wait_ms_max)) {
        final_id = Math.max(final_id, awaited.last_id);
        if (next === awaited) next = null;
      }
      return { final_id, last_id };
    },

    async now() {
      const until_ms = timers.monotonicNow() + now_ms_max;
      const { last_id } = await horizon.read();
      while (final_id < last_id && timers.monotonicNow() < until_ms) await horizon.read();
      if (final_id >= last_id) return last_id;
      // The ids of open transactions are among those that no event has. The others belong to
      // transactions that were rolled back.
      const { rows } = await pool.query<{ first_missing: number | null }>(
        `select min(n.id) as first_missing from generate_series(greatest($1::bigint + 1, $2::bigint - ${gaps_ids_max}), $2::bigint) as n (id)
           left join tallystick_events e on e.id = n.id where e.id is null`,
        [final_id, last_id],
      );
      const first_missing = rows[0]?.first_missing ?? null;
      return first_missing === null ? last_id : first_missing - 1;
    },
  };
  return horizon;
}
