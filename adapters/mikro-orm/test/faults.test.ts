import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { runInNewContext } from 'node:vm';
import { Fault, Refusal, Violation } from '@tallystick/kernel';
import { database_names, refusing_port, scratchDatabase, sqliteFile } from '@tallystick/test-support';
import Database from 'better-sqlite3';
import pg from 'pg';
import { faultOf, isConflict } from '../src/connection/faults.ts';

/** Returns the error with which the work fails. */
async function errorOf(work: () => unknown): Promise<unknown> {
  try {
    await work();
  } catch (error) {
    return error;
  }
  return assert.fail('nothing failed');
}

/**
 * Returns the result for the caller of a transaction: whether the caller may try again, and whether
 * the transaction is run again immediately.
 */
function classify(error: unknown) {
  const fault = faultOf(error);
  assert.ok(fault instanceof Fault, `not a fault: ${String(error)}`);
  assert.equal(fault.cause, error);
  return { message: fault.message, retryable: fault.retryable, conflict: isConflict(error) };
}

const words: Readonly<Record<string, string>> = {
  '08001': ': it cannot be reached',
  '08003': ': it cannot be reached',
  '08006': ': it cannot be reached',
  '25006': ': it only reads, as a standby does',
  '53100': ': its disk is full',
  '53200': ': it is out of memory',
  '53300': ': too many connections',
  '55P03': ': another transaction holds a lock',
  '57014': ': a statement took too long',
  '57P01': ': it is shutting down',
  '57P03': ': it is starting or shutting down',
  ECONNREFUSED: ': it cannot be reached',
  ECONNRESET: ': it cannot be reached',
  SQLITE_BUSY: ': another transaction holds a lock',
  SQLITE_CANTOPEN: ': its file cannot be opened',
  SQLITE_FULL: ': its disk is full',
  SQLITE_READONLY: ': it only reads, as a standby does',
};

const transient = (code: string) => ({
  message: `the database failed${words[code] ?? ''} (${code})`,
  retryable: true,
  conflict: false,
});

describe('an error that is not of the database', () => {
  it('passes through unchanged, whatever its text contains', async () => {
    const absent = undefined as unknown as { connection: string };
    const errors = [
      await errorOf(() => absent.connection),
      await errorOf(() => Buffer.from(null as unknown as string)),
      new Error('the connection of these two cards: timeout'),
      Object.assign(new Error('a code of its own'), { code: 'CONNECTION' }),
      new Refusal('not_found', 'no'),
      new Violation('a bug'),
      new Fault('ours', { retryable: true }),
    ];
    for (const error of errors) {
      assert.equal(faultOf(error), error);
      assert.equal(isConflict(error), false);
    }
    assert.ok(faultOf('a text') instanceof Violation);
  });
});

it('an error of another realm, as Node makes them in Jest, is a fault', () => {
  const error = runInNewContext(`Object.assign(new Error(), { code: 'ECONNREFUSED' })`);
  const message = 'the database failed: it cannot be reached (ECONNREFUSED)';
  assert.deepEqual(classify(error), { message, retryable: true, conflict: false });
});

describe('an error of SQLite', () => {
  async function withTable(t: TestContext, options?: Database.Options): Promise<Database.Database> {
    const scratch = await scratchDatabase('sqlite');
    t.after(() => scratch.dispose());
    const made = new Database(sqliteFile(scratch));
    made.exec('create table things (id integer primary key, body blob not null)');
    made.close();
    const database = new Database(sqliteFile(scratch), options);
    t.after(() => database.close());
    return database;
  }
  const insert = 'insert into things (body) values (zeroblob(10000))';

  it('is retryable when the database has no room left', async (t) => {
    const database = await withTable(t);
    database.pragma('max_page_count = 3');
    assert.deepEqual(classify(await errorOf(() => database.exec(insert))), transient('SQLITE_FULL'));
  });

  it('is retryable when the file may not be written or cannot be opened', async (t) => {
    const database = await withTable(t, { readonly: true });
    assert.deepEqual(classify(await errorOf(() => database.exec(insert))), transient('SQLITE_READONLY'));
    const missing = await errorOf(() => new Database(`${database.name}.gone`, { fileMustExist: true }));
    assert.deepEqual(classify(missing), transient('SQLITE_CANTOPEN'));
  });

  it('is a conflict when another process holds the write lock', async (t) => {
    const holder = await withTable(t);
    const other = new Database(holder.name, { timeout: 0 });
    t.after(() => other.close());
    holder.exec('begin immediate');
    const busy = await errorOf(() => other.exec('begin immediate'));
    assert.deepEqual(classify(busy), { ...transient('SQLITE_BUSY'), conflict: true });
  });

  it('is not retryable when the statement or the value is wrong', async (t) => {
    const database = await withTable(t);
    for (const [sql, code] of [
      ['insert into things (body) values (null)', 'SQLITE_CONSTRAINT_NOTNULL'],
      ['select * from nowhere', 'SQLITE_ERROR'],
    ] as const) {
      const { message, retryable } = classify(await errorOf(() => database.exec(sql)));
      assert.deepEqual([message, retryable], [`the database failed (${code})`, false]);
    }
  });
});

if (database_names.includes('postgres')) {
  describe('an error of Postgres', () => {
    /** A pool on an empty database, as `connect` makes it: statements are sent without waiting. */
    async function withPool(t: TestContext, config: pg.PoolConfig = {}): Promise<pg.Pool> {
      const scratch = await scratchDatabase('postgres');
      return poolOn(t, { connectionString: scratch.database_url, ...config }, () => scratch.dispose());
    }
    function poolOn(t: TestContext, config: pg.PoolConfig, dispose: () => unknown = () => {}): pg.Pool {
      const pool = new pg.Pool({ pipeline: true, ...config } as pg.PoolConfig);
      pool.on('connect', (client) => client.on('error', () => {}));
      pool.on('error', () => {});
      const held = new Set<pg.PoolClient>();
      pool.on('acquire', (client) => held.add(client));
      pool.on('release', (_error, client) => held.delete(client));
      t.after(async () => {
        for (const client of held) client.release(true);
        await pool.end();
        await dispose();
      });
      return pool;
    }
    const pidOf = async (client: pg.PoolClient): Promise<number> =>
      (await client.query('select pg_backend_pid() as pid')).rows[0].pid;

    it('is retryable when the connection ends during a statement, and after it', async (t) => {
      const pool = await withPool(t);
      const client = await pool.connect();
      const pid = await pidOf(client);
      const ended = new Promise((resolve) => client.once('end', resolve));
      const sleeping = errorOf(() => client.query('select pg_sleep(60)'));
      await pool.query('select pg_terminate_backend($1)', [pid]);
      assert.deepEqual(classify(await sleeping), transient('57P01'));
      await ended;
      assert.deepEqual(classify(await errorOf(() => client.query('select 1'))), transient('08003'));
    });

    it('is retryable when a transaction was idle for too long', async (t) => {
      const pool = await withPool(t);
      const client = await pool.connect();
      await client.query("set idle_in_transaction_session_timeout = '10ms'");
      const ended = once(client, 'error');
      await client.query('begin');
      const [error] = await ended;
      assert.deepEqual(classify(error), transient('25P03'));
    });

    it('is retryable when a lock is not available or a statement takes too long', async (t) => {
      const pool = await withPool(t);
      const [holder, other] = [await pool.connect(), await pool.connect()];
      await holder.query('begin');
      await holder.query('select pg_advisory_xact_lock(1)');
      await other.query("set lock_timeout = '10ms'");
      assert.deepEqual(
        classify(await errorOf(() => other.query('select pg_advisory_xact_lock(1)'))),
        transient('55P03'),
      );
      await other.query("set lock_timeout = 0; set statement_timeout = '10ms'");
      assert.deepEqual(classify(await errorOf(() => other.query('select pg_sleep(60)'))), transient('57014'));
    });

    it('is a conflict when two transactions cannot both commit', async (t) => {
      const pool = await withPool(t);
      await pool.query('create table things (id int)');
      await pool.query('insert into things values (1)');
      const [one, two] = [await pool.connect(), await pool.connect()];
      for (const client of [one, two]) {
        await client.query('begin isolation level serializable');
        await client.query('select sum(id) from things');
        await client.query('insert into things values (2)');
      }
      await one.query('commit');
      assert.deepEqual(classify(await errorOf(() => two.query('commit'))), { ...transient('40001'), conflict: true });
    });

    it('is retryable when the database only reads, and when a resource of the server is used up', async (t) => {
      const pool = await withPool(t);
      await pool.query('create table things (id int primary key)');
      const only_reads = await pool.connect();
      await only_reads.query('begin read only');
      const error = await errorOf(() => only_reads.query('insert into things values (1)'));
      assert.deepEqual(classify(error), transient('25006'));
      for (const code of ['53100', '53200', '53300', '57P03']) {
        const raising = `do $$ begin raise exception 'no' using errcode = '${code}'; end $$`;
        assert.deepEqual(classify(await errorOf(() => pool.query(raising))), transient(code));
      }
    });

    it('is not retryable when the statement or the value is wrong', async (t) => {
      const pool = await withPool(t);
      await pool.query('create table things (id int primary key)');
      for (const [sql, code] of [
        ['insert into things values (null)', '23502'],
        ['select * from nowhere', '42P01'],
      ] as const) {
        const { message, retryable } = classify(await errorOf(() => pool.query(sql)));
        assert.deepEqual([message, retryable], [`the database failed (${code})`, false]);
      }
    });

    it('is retryable when no connection is available', async (t) => {
      const pool = await withPool(t, { max: 1 });
      const client = await pool.connect();
      // Only the second wait must fail; the first may take longer.
      pool.options.connectionTimeoutMillis = 20;
      assert.deepEqual(classify(await errorOf(() => pool.connect())), transient('08001'));
      client.release();
      const refusing = poolOn(t, { host: '127.0.0.1', port: refusing_port });
      assert.deepEqual(classify(await errorOf(() => refusing.connect())), transient('ECONNREFUSED'));
      const nowhere = poolOn(t, { host: '/no/such/socket' });
      assert.deepEqual(classify(await errorOf(() => nowhere.connect())), transient('ENOENT'));
    });

    it('is retryable when the listener sends nothing or closes the connection', async (t) => {
      const port = async (answer: (socket: Socket) => void): Promise<number> => {
        const sockets = new Set<Socket>();
        const server: Server = createServer((socket) => {
          sockets.add(socket.on('error', () => {}));
          answer(socket);
        });
        server.listen(0, '127.0.0.1');
        await once(server, 'listening');
        t.after(() => {
          for (const socket of sockets) socket.destroy();
          server.close();
        });
        return (server.address() as { port: number }).port;
      };
      const silent = poolOn(t, { host: '127.0.0.1', port: await port(() => {}), connectionTimeoutMillis: 20 });
      assert.deepEqual(classify(await errorOf(() => silent.connect())), transient('08001'));
      const closing = poolOn(t, { host: '127.0.0.1', port: await port((socket) => socket.end()) });
      assert.deepEqual(classify(await errorOf(() => closing.connect())), transient('08006'));
      const resetting = poolOn(t, {
        host: '127.0.0.1',
        port: await port((socket) => socket.once('data', () => socket.resetAndDestroy())),
      });
      assert.deepEqual(classify(await errorOf(() => resetting.connect())), transient('ECONNRESET'));
    });
  });
}
