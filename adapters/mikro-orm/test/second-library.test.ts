/**
 * Another SQLite library in this process opens and closes the file: `node:sqlite`, or a second copy
 * of better-sqlite3. Its close ends all locks of the process, and removes the log.
 */
import assert from 'node:assert/strict';
import { copyFileSync, existsSync, readFileSync, renameSync, statSync } from 'node:fs';
import { after, describe, type TestContext, test } from 'node:test';
import { no_changes } from '@tallystick/cards';
import { Fault } from '@tallystick/kernel';
import {
  changeRows,
  type ForeignConnection,
  migratedDatabase,
  openNodeSqlite,
  readRows,
  type ScratchDatabase,
  secondBetterSqlite3,
  sqliteFile,
  testAuditMac,
} from '@tallystick/test-support';
import Database from 'better-sqlite3';
import { connectSqlite } from '../src/connection/sqlite/sqlite-connection.ts';
import { mikroOrmPersistence, type Persistence } from '../src/index.ts';
import { makeCompany, openPersistence } from './contract/fixture.ts';

const second = secondBetterSqlite3();
after(() => second.remove());

const libraries: Readonly<Record<string, (path: string) => ForeignConnection>> = {
  'node:sqlite': (path) => openNodeSqlite(path),
  'a second copy of better-sqlite3': (path) => new second.library(path),
};

interface Opened {
  readonly database: ScratchDatabase;
  readonly path: string;
  readonly persistence: Persistence;
  readonly warnings: Error[];
}

async function opened(t: TestContext): Promise<Opened> {
  const database = await migratedDatabase('sqlite');
  t.after(() => database.dispose());
  await changeRows(database, 'create table of_host (number integer)');
  const persistence = await openPersistence(database);
  t.after(() => persistence.close());
  return { database, path: sqliteFile(database), persistence, warnings: warningsOf(t, sqliteFile(database)) };
}

/** What this process warns of from now on about the file. */
function warningsOf(t: TestContext, path: string): Error[] {
  const warnings: Error[] = [];
  const note = (warning: Error & { readonly code?: string }): void => {
    if (warning.code === 'TALLYSTICK_SECOND_SQLITE' && warning.message.includes(path)) warnings.push(warning);
  };
  process.on('warning', note);
  t.after(() => void process.off('warning', note));
  return warnings;
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** Opens the file, reads it, and closes it. */
function openAndClose(open: (path: string) => ForeignConnection, path: string, sql = 'select count(*) from of_host') {
  const foreign = open(path);
  foreign.exec(sql);
  foreign.close();
}

const companies = async ({ unitOfWork }: Persistence): Promise<readonly string[]> => {
  const { items } = await unitOfWork.read((tx) => tx.companies.list({ limit: 1_000 }));
  return items.map(({ name }) => name).sort();
};

const pass = ({ ledger }: Persistence) => ledger.passDue(10, () => ({ changes: no_changes, result: 'decided' }));

/** Every way of work. */
const ways: Readonly<Record<string, (persistence: Persistence) => Promise<unknown>>> = {
  'a pass': pass,
  'a transaction': ({ unitOfWork }) => unitOfWork.run((tx) => makeCompany(tx, 'Written')),
  'a read': companies,
  'a look-up': ({ look_ups }) => look_ups.read((tx) => tx.sandbox_clock.read()),
  'the index of events': ({ event_index }) => event_index.run(),
  'the horizon of events': ({ event_horizon }) => event_horizon.read(),
  'the check of readiness': (persistence) => persistence.ping(),
};

for (const [name, open] of Object.entries(libraries)) {
  describe(`the file after ${name} has opened and closed it`, () => {
    for (const [way, work] of Object.entries(ways)) {
      test(`is opened again by ${way}, and nothing is lost`, async (t) => {
        const { path, database, persistence, warnings } = await opened(t);
        await persistence.unitOfWork.run((tx) => makeCompany(tx, 'Before'));
        openAndClose(open, path);
        await work(persistence);
        for (const each of Object.values(ways)) await each(persistence);
        await persistence.unitOfWork.run((tx) => makeCompany(tx, 'After'));
        const expected = ['After', 'Before', ...(way === 'a transaction' ? ['Written'] : []), 'Written'];
        assert.deepEqual(await companies(persistence), expected);
        await persistence.close();
        const [integrity] = await readRows<{ integrity_check: string }>(database, 'pragma integrity_check');
        assert.equal(integrity?.integrity_check, 'ok');
        assert.equal((await readRows(database, 'select name from tallystick_companies')).length, expected.length);
        assert.equal(warnings.length, 1);
      });
    }

    test('is warned of once, with the cause and what to do', async (t) => {
      const { path, persistence, warnings } = await opened(t);
      for (let time = 0; time < 3; time += 1) {
        openAndClose(open, path);
        await pass(persistence);
      }
      await nextTurn();
      assert.equal(warnings.length, 1);
      assert.match(String(warnings[0]), /another SQLite library in this process has opened or closed .*tallystick\.db/);
      assert.match(String(warnings[0]), /pass its handle as the option database/);
    });

    test('keeps what the other library has written, also while its next connection is open', async (t) => {
      const { path, database, persistence } = await opened(t);
      openAndClose(open, path, 'insert into of_host values (1)');
      const next = open(path);
      next.exec('insert into of_host values (2)');
      await persistence.unitOfWork.run((tx) => makeCompany(tx, 'One'));
      next.exec('insert into of_host values (3)');
      await persistence.unitOfWork.run((tx) => makeCompany(tx, 'Two'));
      next.close();
      await persistence.unitOfWork.run((tx) => makeCompany(tx, 'Three'));
      assert.deepEqual(await companies(persistence), ['One', 'Three', 'Two']);
      assert.equal((await readRows(database, 'select number from of_host')).length, 3);
    });

    test('is opened again by all instances of the process, and then keeps what the other library writes', async (t) => {
      const { path, database, persistence, warnings } = await opened(t);
      const instances = [persistence, await openPersistence(database)];
      t.after(() => instances[1]!.close());
      for (const each of instances) await companies(each);
      openAndClose(open, path);
      const next = open(path);
      next.exec('insert into of_host values (1)');
      const expected: string[] = [];
      const writeAll = async () => {
        for (const each of instances) {
          expected.push(`Company ${expected.length}`);
          await each.unitOfWork.run((tx) => makeCompany(tx, expected.at(-1)!));
        }
      };
      await writeAll();
      next.exec('insert into of_host values (2)');
      await writeAll();
      next.exec('insert into of_host values (3)');
      next.close();
      // A start opens the file again for those that are open.
      instances.push(await openPersistence(database));
      t.after(() => instances[2]!.close());
      await writeAll();
      for (const each of instances) assert.deepEqual(await companies(each), expected.toSorted());
      for (const each of instances) await each.close();
      const [integrity] = await readRows<{ integrity_check: string }>(database, 'pragma integrity_check');
      assert.equal(integrity?.integrity_check, 'ok');
      assert.equal((await readRows(database, 'select number from of_host')).length, 3);
      assert.equal(warnings.length, 1);
    });

    test('takes a transaction again in whose middle another connection has built the index of the log again', async (t) => {
      const { path, persistence } = await opened(t);
      openAndClose(open, path);
      // From now on each commit copies the log.
      await persistence.unitOfWork.run((tx) => makeCompany(tx, 'Before'));
      openAndClose(open, path);
      await persistence.unitOfWork.run((tx) => makeCompany(tx, 'Again'));
      let next: ForeignConnection | null = null;
      t.after(() => next?.close());
      await persistence.unitOfWork.run(async (tx) => {
        await makeCompany(tx, 'During');
        if (next !== null) return;
        next = open(path);
        next.exec('select count(*) from of_host');
      });
      assert.deepEqual(await companies(persistence), ['Again', 'Before', 'During']);
    });

    test('fails a transaction that its caller ends when the index of the log was built again in its middle', async (t) => {
      const { path, persistence } = await opened(t);
      await persistence.close();
      const connection = await connectSqlite(path, []);
      t.after(() => connection.close());
      await connection.immediately((database) => database.exec('insert into of_host values (1)'));
      openAndClose(open, path);
      await connection.immediately((database) => database.exec('insert into of_host values (2)'));
      const begun = await connection.begin();
      begun.database.exec('insert into of_host values (3)');
      const next = open(path);
      t.after(() => next.close());
      next.exec('select count(*) from of_host');
      await assert.rejects(begun.commit(), /was rolled back: do it again/);
      await connection.immediately((database) => database.exec('insert into of_host values (4)'));
      const count = await connection.reading((reader) => reader.prepare('select count(*) from of_host').pluck().get());
      assert.equal(count, 3);
    });

    test('is opened again when another instance that is closing has closed it', async (t) => {
      const { path, database, persistence } = await opened(t);
      const closing = await connectSqlite(path, []);
      const begun = await closing.begin();
      const closed = closing.close();
      openAndClose(open, path);
      const read = companies(persistence);
      for (let turns = 0; turns < 1_000; turns += 1) await nextTurn();
      // The connection is still open.
      begun.database.exec('insert into of_host values (1)');
      await begun.rollback();
      await closed;
      assert.deepEqual(await read, []);
      await persistence.unitOfWork.run((tx) => makeCompany(tx, 'Written'));
      assert.deepEqual(await companies(persistence), ['Written']);
      await persistence.close();
      assert.deepEqual(await readRows(database, 'select number from of_host'), []);
    });

    test('is opened again after the close of another instance has failed', { timeout: 60_000 }, async (t) => {
      const { path, persistence } = await opened(t);
      const failing = await connectSqlite(path, []);
      failing.orm.close = () => Promise.reject(new Error('broken'));
      await assert.rejects(failing.close(), /^Error: broken$/);
      openAndClose(open, path);
      await persistence.unitOfWork.run((tx) => makeCompany(tx, 'Written'));
      assert.deepEqual(await companies(persistence), ['Written']);
    });

    test('is opened again in the middle of a transaction, which is done again and has its effect once', async (t) => {
      const { path, persistence } = await opened(t);
      let attempts = 0;
      await persistence.unitOfWork.run(async (tx) => {
        attempts += 1;
        await makeCompany(tx, 'First');
        if (attempts === 1) openAndClose(open, path);
        await makeCompany(tx, 'Second');
      });
      assert.deepEqual([await companies(persistence), attempts], [['First', 'Second'], 2]);
    });

    test('is opened again in the middle of a pass, which is done again within its deadline', async (t) => {
      const { path, persistence } = await opened(t);
      let attempts = 0;
      const result = await persistence.ledger.passDue(10, () => {
        attempts += 1;
        if (attempts === 1) openAndClose(open, path);
        return { changes: no_changes, result: `attempt ${attempts}` };
      });
      assert.equal(result, 'attempt 2');
    });

    test('is read as it is at one time, also when it is written and closed in the middle of a read', async (t) => {
      const { path, persistence } = await opened(t);
      await persistence.unitOfWork.run((tx) => makeCompany(tx, 'Kept'));
      let attempts = 0;
      const read = await persistence.unitOfWork.read(async (tx) => {
        attempts += 1;
        const first = (await tx.companies.list({ limit: 10 })).items.map((company) => company.name);
        if (attempts === 1) openAndClose(open, path, "update tallystick_companies set name = 'Changed'");
        return [first, (await tx.companies.list({ limit: 10 })).items.map((company) => company.name)];
      });
      assert.deepEqual([read, attempts], [[['Changed'], ['Changed']], 2]);
    });

    test('fails a transaction that its caller ends, with what to do', async (t) => {
      const { path, persistence } = await opened(t);
      const own = await persistence.begin();
      await persistence.joining(own.host).run((tx) => makeCompany(tx, 'Undone'));
      openAndClose(open, path);
      await assert.rejects(own.commit(), (error) => {
        assert.ok(error instanceof Fault && error.retryable);
        return /another SQLite library .* the transaction was rolled back: do it again/.test(error.message);
      });
      await persistence.unitOfWork.run((tx) => makeCompany(tx, 'Kept'));
      assert.deepEqual(await companies(persistence), ['Kept']);
    });

    test('serves all calls of the moment, each once', async (t) => {
      const { path, persistence } = await opened(t);
      const names = Array.from({ length: 20 }, (_, place) => `Company ${String(place).padStart(2, '0')}`);
      const calls = names.map((company) => persistence.unitOfWork.run((tx) => makeCompany(tx, company)));
      const passes = Array.from({ length: 20 }, () => pass(persistence));
      openAndClose(open, path);
      await Promise.all([...calls, ...passes]);
      assert.deepEqual(await companies(persistence), names);
    });

    test('is complete without its log from then on, because another connection may remove it', async (t) => {
      const { path, persistence, database } = await opened(t);
      openAndClose(open, path);
      await persistence.unitOfWork.run((tx) => makeCompany(tx, 'Kept'));
      const copy = `${path}-copy`;
      copyFileSync(path, copy);
      const copied = new Database(copy);
      assert.deepEqual(copied.prepare('select name from tallystick_companies').pluck().all(), ['Kept']);
      copied.close();
      await persistence.close();
      assert.equal((await readRows(database, 'select 1 from tallystick_installation')).length, 1);
    });
  });
}

/** A connection whose log has had more pages than one part of its index describes. */
async function connectionWithLongIndex(t: TestContext) {
  const { path, persistence, database } = await opened(t);
  await persistence.close();
  const connection = await connectSqlite(path, []);
  t.after(() => connection.close());
  const write = (sql: string) => connection.immediately((writer) => void writer.exec(sql));
  const writeMany = () => write('insert into large values (zeroblob(20000000))');
  await write('create table large (bytes blob)');
  await writeMany();
  return {
    connection,
    database,
    writeMany,
    write: (number: number) => write(`insert into of_host values (${number})`),
    /** Opens the file by another library. */
    truncateIndex(open: (path: string) => ForeignConnection): ForeignConnection {
      const foreign = open(path);
      t.after(() => foreign.close());
      const { size } = statSync(`${path}-shm`);
      foreign.exec('select count(*) from of_host');
      assert.ok(statSync(`${path}-shm`).size < size);
      return foreign;
    },
  };
}

for (const [name, open] of Object.entries(libraries)) {
  describe(`the file while ${name} has it open`, () => {
    test('is opened again when the index of the log was truncated, before a commit needs more of it', async (t) => {
      const { connection, database, write, writeMany, truncateIndex } = await connectionWithLongIndex(t);
      const warnings = warningsOf(t, sqliteFile(database));
      // The log begins again.
      await write(1);
      const foreign = truncateIndex(open);
      await writeMany();
      await write(2);
      foreign.exec('insert into of_host values (3)');
      await nextTurn();
      assert.equal(warnings.length, 1);
      await connection.close();
      const rows = await readRows<{ number: number }>(database, 'select number from of_host order by number');
      assert.deepEqual(
        rows.map(({ number }) => number),
        [1, 2, 3],
      );
    });

    test('is opened again also when nobody can copy its log, because a handle of the host reads an older state', async (t) => {
      const { connection, write, truncateIndex } = await connectionWithLongIndex(t);
      const handle = new Database(String(connection.path), { readonly: true });
      t.after(() => handle.close());
      handle.exec('begin; select count(*) from of_host');
      await write(1);
      truncateIndex(open);
      await write(2);
      const count = await connection.reading((reader) => reader.prepare('select count(*) from of_host').pluck().get());
      assert.equal(count, 2);
    });
  });
}

/** Connections that only read neither copy a log nor remove one. */
const readers: typeof libraries = {
  'node:sqlite': (path) => openNodeSqlite(path, true),
  'a second copy of better-sqlite3': (path) => new second.library(path, { readonly: true }),
};

for (const [name, open] of Object.entries(readers)) {
  test(`the file is opened again after ${name} has only read it, which ends the locks all the same`, {
    skip: !existsSync('/proc/locks'),
  }, async (t) => {
    const { path, persistence, warnings } = await opened(t);
    const { ino } = statSync(`${path}-shm`);
    const isLocked = () => readFileSync('/proc/locks', 'utf8').includes(`:${ino} `);
    await persistence.unitOfWork.run((tx) => makeCompany(tx, 'Before'));
    assert.ok(isLocked());
    openAndClose(open, path);
    assert.ok(!isLocked());
    let attempts = 0;
    await persistence.unitOfWork.run((tx) => {
      attempts += 1;
      return makeCompany(tx, 'After');
    });
    await nextTurn();
    // The lock to write, which the transaction takes itself, keeps no other process away.
    assert.deepEqual([isLocked(), warnings.length, attempts], [true, 1, 2]);
    openAndClose(open, path);
    assert.deepEqual(await companies(persistence), ['After', 'Before']);
    assert.ok(isLocked());
  });
}

describe('the file of a handle of the host', () => {
  test('is opened by the copy of the library that the handle belongs to, so that another handle does no harm', async (t) => {
    const { path, database, persistence: migrated } = await opened(t);
    await migrated.close();
    const warnings = warningsOf(t, path);
    const handle = new second.library(path);
    const { database_url } = database;
    const persistence = await mikroOrmPersistence({
      database_url,
      database: handle,
      clock: { nowMs: () => 0 },
      audit_mac: testAuditMac,
    });
    t.after(async () => {
      await persistence.close();
      handle.close();
    });
    await persistence.unitOfWork.run((tx) => makeCompany(tx, 'One'));
    const log = statSync(`${path}-wal`).ino;
    openAndClose((file) => new second.library(file), path);
    await persistence.unitOfWork.run((tx) => makeCompany(tx, 'Two'));
    await nextTurn();
    assert.equal(statSync(`${path}-wal`).ino, log);
    assert.deepEqual(warnings, []);
    assert.deepEqual(await companies(persistence), ['One', 'Two']);
  });

  test('is refused with what to do while the handle keeps the removed log, and opened again when it is closed', async (t) => {
    const { path, persistence } = await opened(t);
    await persistence.unitOfWork.run((tx) => makeCompany(tx, 'Before'));
    const handle = new Database(path);
    handle.prepare('select count(*) from of_host').get();
    openAndClose((file) => openNodeSqlite(file), path);
    const isRefusal = (error: unknown) =>
      error instanceof Fault &&
      error.retryable &&
      /close the other handles that this process has on it/.test(error.message);
    await assert.rejects(pass(persistence), isRefusal);
    await assert.rejects(companies(persistence), isRefusal);
    await assert.rejects(persistence.ping(), isRefusal);
    handle.close();
    await pass(persistence);
    assert.deepEqual(await companies(persistence), ['Before']);
  });
});

describe('commits that are only in a log that was removed', () => {
  const lose = (path: string): void => {
    for (const name of ['-wal', '-shm']) renameSync(`${path}${name}`, `${path}${name}-away`);
  };

  test('are copied into the database before the file is opened again', async (t) => {
    const { path, database, persistence } = await opened(t);
    await persistence.unitOfWork.run((tx) => makeCompany(tx, 'Before'));
    lose(path);
    await persistence.unitOfWork.run((tx) => makeCompany(tx, 'After'));
    await persistence.close();
    assert.deepEqual(
      (await readRows(database, 'select name from tallystick_companies order by name')).map(({ name }) => name),
      ['After', 'Before'],
    );
  });

  test('are not answered when another log is there by then', async (t) => {
    const { path, persistence: migrated } = await opened(t);
    await migrated.close();
    const connection = await connectSqlite(path, []);
    t.after(() => connection.close());
    const number = (value: number) => `insert into of_host values (${value})`;
    await connection.immediately((database) => database.exec(number(1)));
    let other: ForeignConnection | undefined;
    const attempt = async (): Promise<void> => {
      await connection.immediately((database) => database.exec(number(2)));
      if (other !== undefined) return;
      // Between the commit and its answer.
      lose(path);
      other = openNodeSqlite(path);
      other.exec(number(3));
    };
    await assert.rejects(
      connection.onFile(attempt, false),
      (error) => error instanceof Fault && /commits of it are not in the database/.test(error.message),
    );
    // The log of the other is neither removed nor overwritten.
    await connection.close();
    const rows = new Database(path, { readonly: true });
    t.after(() => rows.close());
    other?.close();
    assert.deepEqual(rows.prepare('select number from of_host').pluck().all(), [3]);
    assert.equal(rows.pragma('integrity_check', { simple: true }), 'ok');
  });
});
