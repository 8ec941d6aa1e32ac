/** Every pair of a database and a way to hand over a transaction, as a host uses it. */

import assert from 'node:assert/strict';
import { EntitySchema } from '@mikro-orm/core';
import { MikroORM as PostgresOrm } from '@mikro-orm/postgresql';
import { MikroORM as SqliteOrm } from '@mikro-orm/sqlite';
import type { HostTransaction } from '@tallystick/kernel';
import type { DatabaseName } from '@tallystick/test-support';
import Database from 'better-sqlite3';
import { sql } from 'drizzle-orm';
import { drizzle as drizzleOnSqlite } from 'drizzle-orm/better-sqlite3';
import { drizzle as drizzleOnPostgres } from 'drizzle-orm/node-postgres';
import { CamelCasePlugin, CompiledQuery, Kysely, PostgresDialect, SqliteDialect, type Transaction } from 'kysely';
import pg from 'pg';
import {
  fromBetterSqlite3,
  fromDrizzle,
  fromKysely,
  fromMikroOrm,
  fromPg,
  transaction,
} from '../../apps/embedded/src/tx/index.ts';
import type { HostWorld } from './host-world.ts';

/** A transaction of the host in progress. */
export interface OpenTransaction {
  /** A value for `{ tx }`, made now. */
  tx(): HostTransaction;
  /** Runs a statement of the host's own, which returns no rows. */
  run(text: string): Promise<void>;
  commit(): Promise<void>;
  rollback(): Promise<void>;
  /** Cuts the connection: nothing is committed. */
  crash(): Promise<void>;
}

/** The application of a host on the database of an instance. */
export interface Host {
  begin(): Promise<OpenTransaction>;
  /** The value for `{ tx }` outside a transaction. Null when the library has no way to make one. */
  outside(): (() => HostTransaction) | null;
  transaction<Result>(
    work: (tx: HostTransaction, run: (text: string) => Promise<void>) => Promise<Result>,
  ): Promise<Result>;
  /** Whether the handle can still be used. */
  isOpen(): Promise<boolean>;
  close(): Promise<void>;
}

export interface HostPair {
  readonly name: string;
  readonly database: DatabaseName;
  /** The handle is the database of the instance: it is in memory. */
  readonly is_shared: boolean;
  /** On SQLite: its library begins a transaction without the write lock. */
  readonly begins_without_lock?: boolean;
  /** Every host has several connections, except on SQLite, where one writes at a time. */
  open(world: HostWorld): Promise<Host>;
}

/** Parsers that change every value that is no text. */
const hostile_types = {
  getTypeParser: (oid: number) => (text: string) =>
    oid === 25 || oid === 1043 || oid === 19 ? text : [`of host: ${text}`],
} as unknown as pg.CustomTypesConfig;

const host_rows = 'create table if not exists host_rows (id bigint primary key)';

function poolOf(world: HostWorld): pg.Pool {
  const pool = new pg.Pool({ connectionString: world.scratch.database_url, max: 6, types: hostile_types });
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/**
 * Ends the connection of the transaction from the server, and waits until it has ended: a pool of the host must not
 * hand it out again.
 */
async function killConnection(world: HostWorld, tx: HostTransaction): Promise<void> {
  const { rows } = await tx.execute({ text: 'select pg_backend_pid() as process_id', values: [] });
  const client = new pg.Client(world.scratch.database_url);
  await client.connect();
  const ended = await client.query<{ has_ended: boolean }>('select pg_terminate_backend($1, 60000) as has_ended', [
    rows[0]!.process_id,
  ]);
  assert.equal(ended.rows[0]!.has_ended, true);
  await client.end();
}

function databaseOf(world: HostWorld): Database.Database {
  const database = new Database(world.scratch.database_url.slice('sqlite:'.length));
  database.defaultSafeIntegers(true);
  return database;
}

async function createHostRows(world: HostWorld): Promise<void> {
  if (world.scratch.name === 'sqlite') {
    const database = databaseOf(world);
    database.exec(host_rows);
    database.close();
    return;
  }
  const client = new pg.Client(world.scratch.database_url);
  await client.connect();
  await client.query(host_rows);
  await client.end();
}

/** Runs a callback of a library as a transaction that is ended from outside. */
async function openCallback<Tx>(
  start: (work: (tx: Tx) => Promise<void>) => Promise<unknown>,
): Promise<{ tx: Tx; commit(): Promise<void>; rollback(): Promise<void> }> {
  const begun = Promise.withResolvers<Tx>();
  const end = Promise.withResolvers<void>();
  const ended = start(async (tx) => {
    begun.resolve(tx);
    await end.promise;
  });
  ended.catch(begun.reject);
  const tx = await begun.promise;
  return {
    tx,
    async commit() {
      end.resolve();
      await ended;
    },
    async rollback() {
      end.reject(new Error('the host rolls back'));
      await ended.catch(() => undefined);
    },
  };
}

const pg_pair: HostPair = {
  name: 'fromPg on Postgres',
  database: 'postgres',
  is_shared: false,
  async open(world) {
    await createHostRows(world);
    const pool = poolOf(world);
    return {
      async begin() {
        const client = await pool.connect();
        await client.query('begin');
        const end = async (text: string): Promise<void> => {
          await client.query(text);
          client.release();
        };
        return {
          tx: () => fromPg(client),
          run: async (text) => void (await client.query(text)),
          commit: () => end('commit'),
          rollback: () => end('rollback'),
          async crash() {
            await killConnection(world, fromPg(client));
            client.release(true);
          },
        };
      },
      outside: () => () => fromPg(pool as never),
      transaction: (work) =>
        transaction(pool, (tx, client) => work(tx, async (text) => void (await client.query(text)))),
      isOpen: async () => (await pool.query('select 1')).rowCount === 1,
      close: () => pool.end(),
    };
  },
};

/** A host whose handle of SQLite is opened again after a crash. */
function onDatabase<Handle extends object>(
  open: () => { database: Database.Database; handle: Handle },
  from: (handle: Handle) => HostTransaction,
  { is_shared }: { readonly is_shared: boolean },
): Host {
  let now = open();
  const run = async (text: string): Promise<void> => void now.database.exec(text);
  const close = async (): Promise<void> => {
    if (!is_shared) now.database.close();
  };
  return {
    async begin() {
      const { database, handle } = now;
      database.exec('begin immediate');
      const end = async (text: string): Promise<void> => void database.exec(text);
      return {
        tx: () => from(handle),
        run: end,
        commit: () => end('commit'),
        rollback: () => end('rollback'),
        async crash() {
          // With its handle, a database in memory would be gone.
          if (is_shared) return await end('rollback');
          database.close();
          now = open();
        },
      };
    },
    outside: () => () => from(now.handle),
    transaction: (work) => transaction(now.handle, (host) => work(host, run)),
    isOpen: async () => now.database.prepare('select 1').pluck().get() !== undefined,
    close,
  };
}

const sqlite_pair: HostPair = {
  name: 'fromBetterSqlite3 on SQLite',
  database: 'sqlite',
  is_shared: false,
  async open(world) {
    await createHostRows(world);
    const open = () => {
      const database = databaseOf(world);
      return { database, handle: database };
    };
    return onDatabase(open, fromBetterSqlite3, { is_shared: false });
  },
};

const memory_pair: HostPair = {
  name: 'fromBetterSqlite3 on SQLite in memory',
  database: 'sqlite',
  is_shared: true,
  async open({ shared }) {
    const database = shared!;
    database.exec(host_rows);
    return onDatabase(() => ({ database, handle: database }), fromBetterSqlite3, { is_shared: true });
  },
};

function kyselyPair(database: DatabaseName): HostPair {
  return {
    name: `fromKysely on ${database === 'sqlite' ? 'SQLite' : 'Postgres'}`,
    database,
    is_shared: false,
    begins_without_lock: database === 'sqlite',
    async open(world) {
      await createHostRows(world);
      const pool = database === 'postgres' ? poolOf(world) : null;
      const open = () => {
        const handle = pool === null ? databaseOf(world) : null;
        const dialect =
          handle === null ? new PostgresDialect({ pool: pool! }) : new SqliteDialect({ database: handle });
        return { handle, db: new Kysely<unknown>({ dialect, plugins: [new CamelCasePlugin()] }) };
      };
      let now = open();
      return {
        async begin() {
          const { db, handle } = now;
          const {
            tx: trx,
            commit,
            rollback,
          } = await openCallback<Transaction<unknown>>((work) => db.transaction().execute(work));
          return {
            tx: () => fromKysely(trx),
            run: async (text) => void (await trx.executeQuery(CompiledQuery.raw(text))),
            commit,
            rollback,
            async crash() {
              if (handle === null) await killConnection(world, fromKysely(trx));
              else handle.close();
              await rollback();
              if (handle !== null) now = open();
            },
          };
        },
        outside: () => () => fromKysely(now.db),
        transaction: (work) =>
          transaction(now.db, (tx, trx) =>
            work(tx, async (text) => void (await trx.executeQuery(CompiledQuery.raw(text)))),
          ),
        isOpen: async () => (await now.db.executeQuery(CompiledQuery.raw('select 1'))).rows.length === 1,
        close: () => now.db.destroy(),
      };
    },
  };
}

const HostRow = new EntitySchema<{ id: number }>({
  name: 'HostRow',
  tableName: 'host_rows',
  properties: { id: { type: 'bigint', primary: true } },
});

function mikroOrmPair(database: DatabaseName): HostPair {
  return {
    name: `fromMikroOrm on ${database === 'sqlite' ? 'SQLite' : 'Postgres'}`,
    database,
    is_shared: false,
    begins_without_lock: database === 'sqlite',
    async open(world) {
      await createHostRows(world);
      const url = world.scratch.database_url;
      const open = async () =>
        database === 'sqlite'
          ? await SqliteOrm.init({ entities: [HostRow], dbName: url.slice('sqlite:'.length) })
          : await PostgresOrm.init({ entities: [HostRow], clientUrl: url });
      let orm = await open();
      return {
        async begin() {
          const em = orm.em.fork();
          await em.begin();
          return {
            tx: () => fromMikroOrm(em),
            run: async (text) => void (await em.execute(text, [], 'run')),
            commit: () => em.commit(),
            rollback: () => em.rollback(),
            async crash() {
              if (database === 'postgres') await killConnection(world, fromMikroOrm(em));
              else (await (orm as SqliteOrm).em.getConnection().getNativeClient()).close();
              // After this rejects, MikroORM never returns the connection to its pool.
              await em.rollback().catch(() => undefined);
              orm = await open();
            },
          };
        },
        outside: () => () => fromMikroOrm(orm.em.fork()),
        transaction: (work) =>
          transaction(orm, (tx, em) => work(tx, async (text) => void (await em.execute(text, [], 'run')))),
        isOpen: async () => (await orm.em.fork().execute('select 1')).length === 1,
        close: () => orm.close(true),
      };
    },
  };
}

const drizzle_postgres: HostPair = {
  name: 'fromDrizzle on Postgres',
  database: 'postgres',
  is_shared: false,
  async open(world) {
    await createHostRows(world);
    const pool = poolOf(world);
    const db = drizzleOnPostgres(pool);
    return {
      async begin() {
        const { tx, commit, rollback } = await openCallback<Parameters<Parameters<typeof db.transaction>[0]>[0]>(
          (work) => db.transaction(work),
        );
        return {
          tx: () => fromDrizzle(tx),
          run: async (text) => void (await tx.execute(sql.raw(text))),
          commit,
          rollback,
          async crash() {
            await killConnection(world, fromDrizzle(tx));
            await rollback();
          },
        };
      },
      outside: () => () => fromDrizzle(db),
      transaction: (work) =>
        transaction(db, (host, tx) => work(host, async (text) => void (await tx.execute(sql.raw(text))))),
      isOpen: async () => (await pool.query('select 1')).rowCount === 1,
      close: () => pool.end(),
    };
  },
};

const drizzle_sqlite: HostPair = {
  name: 'fromDrizzle on SQLite',
  database: 'sqlite',
  is_shared: false,
  async open(world) {
    await createHostRows(world);
    const open = () => {
      const database = databaseOf(world);
      return { database, handle: drizzleOnSqlite(database) };
    };
    return onDatabase(open, fromDrizzle, { is_shared: false });
  },
};

export const host_pairs: readonly HostPair[] = [
  pg_pair,
  sqlite_pair,
  memory_pair,
  kyselyPair('postgres'),
  kyselyPair('sqlite'),
  mikroOrmPair('postgres'),
  mikroOrmPair('sqlite'),
  drizzle_postgres,
  drizzle_sqlite,
];
