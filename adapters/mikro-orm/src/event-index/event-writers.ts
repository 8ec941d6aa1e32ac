import type { PostgresConnection } from '../connection/connection.ts';
import { event_writers_lock, lockKey } from '../schema/locks.ts';

/** Time between two looks at the transactions of writers. */
const look_every_ms = 2;

/**
 * A prepared transaction has another name than before. It counts as any writer that is not seen any
 * more.
 */
const prepared_name = /^-1\//;

/**
 * The open transactions of writers of events on Postgres.
 *
 * Ids are drawn before the commit, so a lower id may become visible after a higher one. Every
 * writer holds the shared lock `event_writers_lock` from before it draws ids to its end. Once the
 * sequence has passed an id, its owner has drawn it and is among the holders of the lock. When
 * these holders have ended, every id up to there is final. Nobody takes the lock exclusively, so no
 * writer ever waits for a reader.
 */
export interface EventWriters {
  /** Their names. Each is a name that no other transaction has. */
  read(): Promise<ReadonlySet<string>>;
  /** Whether all of these have ended. Waits up to this time, milliseconds. */
  haveEnded(writers: ReadonlySet<string>, ms_max: number): Promise<boolean>;
}

export function eventWritersOn({ pool, timers }: Pick<PostgresConnection, 'pool' | 'timers'>): EventWriters {
  async function read(): Promise<ReadonlySet<string>> {
    const { rows } = await pool.query<{ name: string }>(
      `select virtualtransaction as name from pg_locks
         where locktype = 'advisory' and mode = 'ShareLock' and granted and objsubid = 1
           and (classid::bigint << 32 | objid::bigint) = ${lockKey(event_writers_lock)}
           and database = (select oid from pg_database where datname = current_database())`,
    );
    return new Set(rows.map(({ name }) => name));
  }

  return {
    read,
    async haveEnded(writers, ms_max) {
      if (writers.size === 0) return true;
      const until_ms = timers.monotonicNow() + ms_max;
      for (let open = await read(); ; open = await read()) {
        if (writers.isDisjointFrom(open) && ![...open].some((name) => prepared_name.test(name))) return true;
        if (timers.monotonicNow() >= until_ms) return false;
        await timers.pause(look_every_ms);
      }
    },
  };
}
