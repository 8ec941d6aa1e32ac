import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, readdirSync, readFileSync, readlinkSync, renameSync, truncateSync } from 'node:fs';
import { describe, it, type TestContext } from 'node:test';
import { no_changes } from '@tallystick/cards';
import { Fault } from '@tallystick/kernel';
import { type ScratchDatabase, scratchDatabase, sqliteFile } from '@tallystick/test-support';
import Database from 'better-sqlite3';
import type { Persistence } from '../src/index.ts';
import { makeCompany, migrateWithSmallSegments, openPersistence } from './contract/fixture.ts';

/** A database in use, with one company. */
async function opened(t: TestContext): Promise<{ path: string; database: ScratchDatabase; persistence: Persistence }> {
  const database = await scratchDatabase('sqlite');
  t.after(() => database.dispose());
  await migrateWithSmallSegments(database);
  const persistence = await openPersistence(database);
  t.after(() => persistence.close());
  await persistence.unitOfWork.run((tx) => makeCompany(tx, 'Kept'));
  return { path: sqliteFile(database), database, persistence };
}

async function companies({ unitOfWork }: Persistence): Promise<readonly string[]> {
  const { items } = await unitOfWork.read((tx) => tx.companies.list({ limit: 100 }));
  return items.map(({ name }) => name).sort();
}

/** Every way of work that writes. */
function writes({ unitOfWork, ledger }: Persistence): readonly (() => Promise<unknown>)[] {
  return [
    () => unitOfWork.run((tx) => makeCompany(tx, 'Void')),
    () => ledger.passDue(10, () => ({ changes: no_changes, result: 'decided' })),
  ];
}

const losses: Readonly<Record<string, { readonly lose: (path: string) => void; readonly says: RegExp }>> = {
  'the database is deleted': { lose: (path) => renameSync(path, `${path}-away`), says: /tallystick\.db was deleted/ },
  'the log is deleted': {
    lose: (path) => renameSync(`${path}-wal`, `${path}-away`),
    says: /tallystick\.db-wal was deleted/,
  },
  'the index of the log is deleted': {
    lose: (path) => renameSync(`${path}-shm`, `${path}-away`),
    says: /tallystick\.db-shm was deleted/,
  },
  'the database is replaced': {
    lose(path) {
      renameSync(path, `${path}-away`);
      copyFileSync(`${path}-away`, path);
    },
    says: /tallystick\.db was replaced/,
  },
};

describe('the file of a SQLite database in use', () => {
  for (const [loss, { lose, says }] of Object.entries(losses)) {
    it(`is missed when ${loss}: nothing is written until it is back`, async (t) => {
      const { path, persistence } = await opened(t);
      const isLoss = (error: unknown) => error instanceof Fault && error.retryable && says.test(error.message);
      lose(path);
      await assert.rejects(persistence.ping(), isLoss);
      for (const write of writes(persistence)) await assert.rejects(write(), isLoss);
      assert.deepEqual(await companies(persistence), ['Kept']);

      renameSync(`${path}-away`, path + (/-(wal|shm)/.exec(says.source)?.[0] ?? ''));
      await persistence.ping();
      assert.deepEqual(await companies(persistence), ['Kept'], 'what was refused was rolled back');
      for (const write of writes(persistence)) await write();
      assert.deepEqual(await companies(persistence), ['Kept', 'Void']);
    });
  }

  it('is missed when it is truncated', async (t) => {
    const { path, persistence } = await opened(t);
    truncateSync(path, 0);
    await assert.rejects(
      persistence.ping(),
      (error) => error instanceof Fault && error.retryable && /truncated/.test(error.message),
    );
    // Some work finds a missing page before it commits.
    for (const write of writes(persistence)) await assert.rejects(write(), Fault);
  });

  it('keeps every commit when its log was deleted and the service is stopped', async (t) => {
    const { path, database, persistence } = await opened(t);
    renameSync(`${path}-wal`, `${path}-away`);
    await persistence.close();
    const again = await openPersistence(database);
    t.after(() => again.close());
    assert.deepEqual(await companies(again), ['Kept']);
  });

  it('is left alone by a service that had another file open there', async (t) => {
    const { path, persistence } = await opened(t);
    renameSync(path, `${path}-away`);
    renameSync(`${path}-wal`, `${path}-away-wal`);
    const other = new Database(path);
    t.after(() => other.close());
    other.pragma('journal_mode = wal');
    other.exec('create table other (id integer); insert into other values (1)');
    const [before, log_before] = [readFileSync(path), readFileSync(`${path}-wal`)];
    for (const write of writes(persistence)) await assert.rejects(write(), Fault);
    await persistence.close();
    assert.deepEqual(readFileSync(path), before);
    assert.deepEqual(readFileSync(`${path}-wal`), log_before);
  });

  it('has no open descriptor and no log once it is closed', { skip: !existsSync('/proc/self/fd') }, async (t) => {
    const { path, persistence } = await opened(t);
    assert.ok(descriptorsOf(path) >= 2);
    await Promise.all(Array.from({ length: 20 }, () => companies(persistence)));
    await persistence.close();
    assert.equal(descriptorsOf(path), 0);
    assert.equal(existsSync(`${path}-wal`), false);
  });
});

/** The descriptors that this process has of the file, its log and the index of the log. */
function descriptorsOf(path: string): number {
  return readdirSync('/proc/self/fd').filter((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`).startsWith(path);
    } catch {
      // The descriptor of this listing.
      return false;
    }
  }).length;
}

describe('a new SQLite database', () => {
  it('can be opened by several processes at the same time', async (t) => {
    const database = await scratchDatabase('sqlite');
    const processes = [1, 2, 3].map(() => fork(new URL('opening-process.ts', import.meta.url)));
    t.after(async () => {
      await Promise.all(processes.map((child) => (child.kill() ? once(child, 'exit') : undefined)));
      await database.dispose();
    });
    const answersOf = () => Promise.all(processes.map((child: ChildProcess) => once(child, 'message')));
    await answersOf();
    for (let file = 1; file <= 40; file += 1) {
      const answers = answersOf();
      for (const child of processes) child.send(`${sqliteFile(database)}-${file}`);
      assert.deepEqual(
        (await answers).flat(),
        processes.flatMap(() => ['opened', undefined]),
      );
    }
  });
});
