/**
 * Transactions on the handle of a host, which no library can begin without a trap: a pool hands out
 * another connection for each statement, and SQLite blocks the process while it waits for its lock.
 */
import { type HostTransaction, UnusableTransaction } from '@tallystick/kernel';
import { type BetterSqlite3Database, fromBetterSqlite3 } from './from-better-sqlite3.ts';
import { clientOf, type DrizzleTransaction, fromDrizzle, isDatabase, isPgPool } from './from-drizzle.ts';
import { compiled, dialectOf, type Executing, fromKysely, type KyselyTransaction } from './from-kysely.ts';
import { fromMikroOrm, type MikroOrmEntityManager } from './from-mikro-orm.ts';
import { fromPg, type PgClient } from './from-pg.ts';
import { inLine } from './in-line.ts';
import type { NativeTransaction } from './native-transaction.ts';
import { beginImmediate, type RunStatement } from './sqlite-begin.ts';
import { assertMarked, had_failed, mark_texts } from './transaction-mark.ts';

interface PgPool {
  readonly totalCount: number;
  connect(): Promise<PgPoolClient>;
}

interface PgPoolClient extends PgClient {
  on(event: 'error', listener: () => void): unknown;
  off(event: 'error', listener: () => void): unknown;
  release(destroy?: boolean): void;
}

interface KyselyDatabase<Trx extends KyselyTransaction> extends KyselyTransaction {
  transaction(): { execute<Result>(work: (trx: Trx) => Promise<Result>): Promise<Result> };
}

interface MikroOrmTransactions<Em extends MikroOrmEntityManager> extends MikroOrmEntityManager {
  transactional<Result>(work: (em: Em) => Promise<Result>): Promise<Result>;
}

interface DrizzleDatabase<Tx extends DrizzleTransaction> extends DrizzleTransaction {
  transaction<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>;
}

type Work<Native, Result> = (tx: HostTransaction, native: Native) => Promise<Result>;

/**
 * Begins a transaction on the handle, calls `work` with it, and commits when `work` resolves, or
 * rolls back and rejects with its error. `native` is what the host's own code uses within the
 * transaction: see `NativeTransaction`. Transactions on one connection run one after another; those
 * on a pool run beside each other. Waits up to 5 seconds for the write lock of SQLite, without blocking
 * the process. Rejects with `UnusableTransaction` when none can begin, when `work` itself ended the
 * transaction, and on Postgres when a statement failed whose error `work` ignored.
 */
export async function transaction<Handle extends object, Result>(
  handle: Handle,
  work: (tx: HostTransaction, native: NativeTransaction<Handle>) => Promise<Result>,
): Promise<Result> {
  return (await onHandle(handle, work as Work<never, unknown>)) as Result;
}

async function onHandle(handle: object, work: Work<never, unknown>): Promise<unknown> {
  if (typeof work !== 'function') {
    throw new UnusableTransaction('transaction(handle, work) takes a function as its second argument');
  }
  const run = work as Work<object, unknown>;
  const known = kindOf(handle);
  switch (known) {
    case 'pg pool':
      return await onPool(handle as PgPool, run);
    case 'pg client':
      return await inLine(handle, () => onClient(handle as PgClient, run));
    case 'better-sqlite3':
      return await inLine(handle, () => onDatabase(handle as BetterSqlite3Database, handle, run));
    case 'kysely':
      return await onKysely(handle as KyselyDatabase<KyselyTransaction>, run);
    case 'mikro-orm':
      return await onMikroOrm(handle as MikroOrmTransactions<MikroOrmEntityManager>, run);
    case 'mikro-orm orm':
      return await onMikroOrm((handle as { readonly em: MikroOrmTransactions<MikroOrmEntityManager> }).em, run);
    case 'drizzle':
      return await onDrizzle(handle as DrizzleDatabase<DrizzleTransaction>, run);
    case null:
      throw new UnusableTransaction(
        'no transaction can begin on this handle: pass a pg Pool or Client, a better-sqlite3 Database, a Kysely, a MikroORM or its EntityManager, or a database of Drizzle',
      );
  }
}

type Kind = 'pg pool' | 'pg client' | 'better-sqlite3' | 'kysely' | 'mikro-orm' | 'mikro-orm orm' | 'drizzle';

function kindOf(handle: unknown): Kind | null {
  if (typeof handle !== 'object' || handle === null) return null;
  const has = (name: string, of: object = handle): boolean =>
    typeof (of as Readonly<Record<string, unknown>>)[name] === 'function';
  if (has('transactional')) return 'mikro-orm';
  if ('em' in handle && has('transactional', Object(handle.em))) return 'mikro-orm orm';
  if (has('withoutPlugins')) return 'kysely';
  if ('_' in handle && has('transaction')) return 'drizzle';
  if (has('prepare') && has('pragma')) return 'better-sqlite3';
  if (has('connect') && 'totalCount' in handle) return 'pg pool';
  if (has('query') && has('connect')) return 'pg client';
  return null;
}

async function onPool(pool: PgPool, work: Work<object, unknown>): Promise<unknown> {
  const client = await pool.connect();
  // A connection that breaks fails its statements. Without a listener it would also end the process.
  client.on('error', ignore);
  let is_usable = false;
  try {
    const result = await within(client, work);
    is_usable = true;
    return result;
  } catch (error) {
    is_usable = await isIdle(client);
    throw error;
  } finally {
    client.off('error', ignore);
    client.release(!is_usable);
  }
}

const ignore = (): void => undefined;

/** Whether the client is connected and in no transaction. */
async function isIdle(client: PgClient): Promise<boolean> {
  try {
    await send(client, 'savepoint tallystick_begin');
    return false;
  } catch (error) {
    return (error as { readonly code?: unknown }).code === '25P01';
  }
}

async function onClient(client: PgClient, work: Work<object, unknown>): Promise<unknown> {
  assertConnected(client);
  if (!(await isIdle(client))) {
    throw new UnusableTransaction(
      'a transaction is open on this client already, or its connection is lost: pass the open one on as { tx: fromPg(client) }',
    );
  }
  return await within(client, work);
}

/** Before it connects, a client of pg keeps its statements for later. */
function assertConnected(client: object): void {
  const { _connecting, _connected } = client as { readonly _connecting?: boolean; readonly _connected?: boolean };
  if (_connecting !== false || _connected !== false) return;
  throw new UnusableTransaction('the client is not connected: await its connect() first');
}

async function within(client: PgClient, work: Work<object, unknown>): Promise<unknown> {
  await send(client, `begin; ${mark_texts.postgres.set}`);
  try {
    const result = await work(fromPg(client), client);
    await assertMarked('postgres', async (text) => (await send(client, text)).rows);
    assertCommitted((await send(client, 'commit')).command);
    return result;
  } catch (error) {
    await send(client, 'rollback').catch(() => undefined);
    throw error;
  }
}

function send(client: PgClient, text: string) {
  return client.query({ text, values: [], types: { getTypeParser: () => (value) => value } });
}

function assertCommitted(command: string | undefined): void {
  if (command !== 'COMMIT') throw new UnusableTransaction(had_failed);
}

async function onDatabase(
  database: BetterSqlite3Database,
  native: object,
  work: Work<object, unknown>,
): Promise<unknown> {
  const host = fromBetterSqlite3(database);
  const run = (text: string): readonly unknown[] => {
    const statement = database.prepare(text);
    if (statement.reader) return statement.all();
    statement.run();
    return [];
  };
  await beginImmediate(run);
  try {
    run(mark_texts.sqlite.set);
    const result = await work(host, native);
    await assertMarked('sqlite', run);
    run('commit');
    return result;
  } catch (error) {
    // SQLite rolls back automatically after some errors, such as a full disk.
    if (database.inTransaction) run('rollback');
    throw error;
  }
}

async function onKysely(db: KyselyDatabase<KyselyTransaction>, work: Work<object, unknown>): Promise<unknown> {
  if (db.isTransaction) {
    throw new UnusableTransaction('the handle is a transaction already: pass it on as { tx: fromKysely(trx) }');
  }
  const run = () =>
    db.transaction().execute(async (trx) => {
      return await marked(trx, () => work(fromKysely(trx), trx));
    });
  // Kysely has one connection to SQLite.
  return dialectOf(db.withoutPlugins() as Executing) === 'sqlite' ? await inLine(db, run) : await run();
}

async function onMikroOrm(
  em: MikroOrmTransactions<MikroOrmEntityManager>,
  work: Work<object, unknown>,
): Promise<unknown> {
  if (em.getTransactionContext() != null) {
    throw new UnusableTransaction(
      'the entity manager is in a transaction already: pass it on as { tx: fromMikroOrm(em) }',
    );
  }
  return await em.transactional(async (its_own) => {
    const host = fromMikroOrm(its_own);
    const trx = its_own.getTransactionContext() as KyselyTransaction;
    return await marked(trx, () => work(host, its_own));
  });
}

/** Runs the work in a transaction that Kysely has begun and will end. */
async function marked(trx: KyselyTransaction, work: () => Promise<unknown>): Promise<unknown> {
  const executing = trx.withoutPlugins() as Executing;
  const dialect = dialectOf(executing);
  const run = async (text: string): Promise<readonly unknown[]> =>
    (await executing.executeQuery(compiled(text, []))).rows;
  if (dialect === 'sqlite') await takeWriteLock(run);
  await run(mark_texts[dialect].set);
  try {
    const result = await work();
    await assertMarked(dialect, run);
    return result;
  } catch (error) {
    // For Kysely, which rolls back: it fails when the work has done so on SQLite.
    if (dialect === 'sqlite') await run('begin').catch(() => undefined);
    throw error;
  }
}

/** Kysely begins transactions of SQLite without the write lock. */
async function takeWriteLock(run: RunStatement): Promise<void> {
  await run('commit');
  try {
    await beginImmediate(run);
  } catch (error) {
    // For Kysely, which rolls back.
    await run('begin');
    throw error;
  }
}

async function onDrizzle(db: DrizzleDatabase<DrizzleTransaction>, work: Work<object, unknown>): Promise<unknown> {
  if ('rollback' in db) {
    throw new UnusableTransaction('the handle is a transaction already: pass it on as { tx: fromDrizzle(tx) }');
  }
  const client = clientOf(db);
  if (isDatabase(client)) return await inLine(client, () => onDatabase(client, db, work));
  const run = () =>
    db.transaction(async (tx) => {
      const its_own = clientOf(tx) as PgClient;
      await send(its_own, mark_texts.postgres.set);
      const result = await work(fromDrizzle(tx), tx);
      await assertMarked('postgres', async (text) => (await send(its_own, text)).rows);
      return result;
    });
  if (isPgPool(client)) return await run();
  assertConnected(client);
  return await inLine(client, run);
}
