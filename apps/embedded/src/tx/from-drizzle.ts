import { type HostTransaction, UnusableTransaction } from '@tallystick/kernel';
import { type BetterSqlite3Database, fromBetterSqlite3 } from './from-better-sqlite3.ts';
import { fromPg, type PgClient } from './from-pg.ts';
import { remembered } from './remembered.ts';

/** What is used of a database or transaction of Drizzle. */
export interface DrizzleTransaction {
  readonly _: object;
}

/**
 * On Postgres with the driver node-postgres, the transaction of `db.transaction(async (tx) => ...)`.
 * On SQLite with better-sqlite3, that of the database itself after
 * `` db.run(sql`begin immediate`) ``, because the function of `db.transaction` must not wait there.
 */
export function fromDrizzle(tx: DrizzleTransaction): HostTransaction {
  if (typeof tx !== 'object' || tx === null) {
    throw new UnusableTransaction('fromDrizzle takes the tx of db.transaction((tx) => ...)');
  }
  return remembered(tx, () => {
    const client = clientOf(tx);
    if (isDatabase(client)) return fromBetterSqlite3(client);
    if (isPgPool(client)) {
      throw new UnusableTransaction(
        'fromDrizzle takes the tx of db.transaction((tx) => ...), not the db: begin a transaction first',
      );
    }
    return fromPg(client);
  });
}

interface DrizzleInside {
  readonly session?: { readonly client?: Partial<PgClient & BetterSqlite3Database> };
}

/** The object of the driver below Drizzle. */
export function clientOf(tx: DrizzleTransaction): PgClient | BetterSqlite3Database {
  // Drizzle's types do not name it.
  const { client } = (tx as unknown as DrizzleInside).session ?? {};
  if (typeof client?.prepare === 'function') return client as BetterSqlite3Database;
  if (typeof client?.query === 'function') return client as PgClient;
  throw new UnusableTransaction(
    'fromDrizzle takes drizzle-orm/node-postgres and drizzle-orm/better-sqlite3: use one of these drivers',
  );
}

export function isDatabase(client: object): client is BetterSqlite3Database {
  return 'prepare' in client;
}

export function isPgPool(client: object): boolean {
  return 'totalCount' in client;
}
