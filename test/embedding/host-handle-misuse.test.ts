/** Transactions that the library begins on handles that break, or that are in one already. */
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { database_names, scratchDatabase, sqliteFile } from '@tallystick/test-support';
import Database from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import pg from 'pg';
import { createKeys, createTallystick, type HostTransaction, type Tallystick } from 'tallystick';
import { UnusableTransaction } from 'tallystick/tx';
import {
  fromBetterSqlite3,
  fromDrizzle,
  fromKysely,
  fromMikroOrm,
  fromPg,
  transaction,
} from '../../apps/embedded/src/tx/index.ts';

const isOneSentence = (error: unknown): boolean => {
  const { name, message } = error as Error;
  assert.equal(name, 'UnusableTransaction', String(error));
  return /^[^\n]+[^.\n]$/.test(message);
};

describe('what is no handle', { timeout: 120_000 }, () => {
  test('is refused in one sentence', async () => {
    for (const value of [null, undefined, 'x', 1, {}, new Date()]) {
      for (const from of [fromPg, fromBetterSqlite3, fromKysely, fromMikroOrm, fromDrizzle]) {
        assert.throws(() => from(value as never), isOneSentence, `${from.name}(${value})`);
      }
      await assert.rejects(
        transaction(value as never, async () => undefined),
        isOneSentence,
      );
    }
    await assert.rejects(transaction(new Database(':memory:'), null as never), isOneSentence);
  });

  test('is a client that is not connected', async () => {
    await assert.rejects(
      transaction(new pg.Client(), async () => undefined),
      /connect\(\) first$/,
    );
  });
});

describe('a transaction within another one on the same handle', { timeout: 120_000 }, () => {
  test('is refused on the one connection of Kysely to SQLite, and does not wait for itself', async () => {
    const db = new Kysely({ dialect: new SqliteDialect({ database: new Database(':memory:') }) });
    const inner = transaction(db, async () => await transaction(db, async () => 'inner'));
    await assert.rejects(inner, { name: 'UnusableTransaction', message: /pass on the tx of the outer transaction/ });
    assert.equal(await transaction(db, async () => 'later'), 'later');
    await db.destroy();
  });
});

/** Transactions that only read, by how they were made. */
const reading: Readonly<Record<string, (t: TestContext) => Promise<{ tally: Tallystick; host: HostTransaction }>>> = {
  async 'on Postgres, begun as "read only"'(t) {
    const { tally, client } = await openOnPostgres(t);
    await client.query('begin read only');
    return { tally, host: fromPg(client) };
  },
  async 'on Postgres, by the default of the session'(t) {
    const { tally, client } = await openOnPostgres(t);
    await client.query('set default_transaction_read_only = on');
    await client.query('begin');
    return { tally, host: fromPg(client) };
  },
  async 'on SQLite, with query_only'(t) {
    const { tally, path } = await openOnSqlite(t);
    const handle = new Database(path);
    t.after(() => handle.close());
    handle.pragma('query_only = on');
    handle.exec('begin');
    return { tally, host: fromBetterSqlite3(handle) };
  },
  async 'on SQLite, on a handle that was opened to read'(t) {
    const { tally, path } = await openOnSqlite(t);
    const handle = new Database(path, { readonly: true });
    t.after(() => handle.close());
    handle.exec('begin');
    return { tally, host: fromBetterSqlite3(handle) };
  },
  async 'on SQLite, of Kysely on a handle that was opened to read'(t) {
    const { tally, path } = await openOnSqlite(t);
    const db = new Kysely({ dialect: new SqliteDialect({ database: new Database(path, { readonly: true }) }) });
    const trx = await db.startTransaction().execute();
    t.after(async () => {
      await trx.rollback().execute();
      await db.destroy();
    });
    return { tally, host: fromKysely(trx) };
  },
};

async function openOn(t: TestContext, name: 'postgres' | 'sqlite') {
  const scratch = await scratchDatabase(name);
  t.after(() => scratch.dispose());
  const tally = await createTallystick({ database: scratch.database_url, keys: await createKeys(), sandbox: true });
  t.after(() => tally.close());
  await tally.migrate();
  return { tally, scratch };
}

async function openOnPostgres(t: TestContext) {
  const { tally, scratch } = await openOn(t, 'postgres');
  const client = new pg.Client(scratch.database_url);
  // The database is dropped first.
  client.on('error', () => {});
  await client.connect();
  t.after(() => client.end());
  return { tally, client };
}

async function openOnSqlite(t: TestContext) {
  const { tally, scratch } = await openOn(t, 'sqlite');
  return { tally, path: sqliteFile(scratch) };
}

describe('a transaction that only reads', { timeout: 120_000 }, () => {
  for (const [how, open] of Object.entries(reading)) {
    const skip = how.includes('Postgres') && !database_names.includes('postgres');
    test(`is refused in one sentence ${how}`, { skip }, async (t) => {
      const { tally, host } = await open(t);
      const { cards } = tally.company(1);
      const refusal = {
        name: 'UnusableTransaction',
        message:
          'the transaction given as { tx } only reads: begin it without "read only" on a connection that may write',
      };
      // Of Kysely only the first write shows it.
      const refusal_of_read = how.includes('Kysely') ? { code: 'not_found' } : refusal;
      await assert.rejects(cards.read('1', { tx: host }), refusal_of_read);
      await assert.rejects(cards.issue({ total_card_amount: 1_000 }, { tx: host }), refusal);
      assert.deepEqual((await tally.company(1).cards.list()).items, []);
    });
  }
});

describe('a connection of a pool that breaks', { skip: !database_names.includes('postgres') }, () => {
  test('fails its transaction, and not the process', async () => {
    const { database_url, dispose } = await scratchDatabase('postgres');
    // No listener for errors of its clients, as in most hosts.
    const pool = new pg.Pool({ connectionString: database_url });
    const other = new pg.Client(database_url);
    await other.connect();
    const broken = transaction(pool, async (tx, client) => {
      const { rows } = await tx.execute({ text: 'select pg_backend_pid() as process_id', values: [] });
      const ended = new Promise((resolve) => client.once('end', resolve));
      await other.query('select pg_terminate_backend($1)', [rows[0]!.process_id]);
      await ended;
      await client.query('select 1');
    });
    await assert.rejects(broken, /not queryable|terminat/i);
    assert.equal(await transaction(pool, async () => 'later'), 'later');
    await pool.end();
    await other.end();
    await dispose();
  });
});

describe('a handle in memory', { timeout: 120_000 }, () => {
  test('of another database is refused as a transaction, also when it has no tables', async () => {
    const shared = new Database(':memory:');
    const other = new Database(':memory:');
    await using tally = await createTallystick({ database: shared, sandbox: true });
    await tally.migrate();
    const { cards } = tally.company(1);
    other.exec('begin immediate');
    await assert.rejects(
      cards.issue({ total_card_amount: 1_000 }, { tx: fromBetterSqlite3(other) }),
      (error) => error instanceof UnusableTransaction && /another database/.test(error.message),
    );
    other.exec('create table of_host (id integer); commit');
    assert.equal(other.prepare('select count(*) from of_host').pluck().get(), 0);
  });

  test('with an open transaction makes a call without { tx } wait, for five seconds at most', async () => {
    const shared = new Database(':memory:');
    await using tally = await createTallystick({ database: shared, sandbox: true });
    await tally.migrate();
    const { cards } = tally.company(1);
    shared.exec('begin immediate');
    const start_ms = performance.now();
    const ended = { name: 'Fault', message: /a transaction of the host is open/ };
    await Promise.all([
      assert.rejects(cards.issue({ total_card_amount: 1_000 }), ended),
      assert.rejects(async () => await cards.list(), ended),
      assert.rejects(cards.read(1), ended),
    ]);
    // One after the other, they would wait for 15 seconds.
    assert.ok(performance.now() - start_ms < 14_000);
    shared.exec('commit');
    assert.equal((await cards.list()).items.length, 0);
  });
});
