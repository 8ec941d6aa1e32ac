import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Worker } from 'node:worker_threads';
import { secondBetterSqlite3 } from '@tallystick/test-support';
import Database from 'better-sqlite3';
import { type CheckpointBounds, checkpointsOn, type LogState } from '../src/connection/sqlite/checkpoints.ts';
import { Turns } from '../src/connection/sqlite/turns.ts';

/** Small, so that a test reaches each of them within a few hundred commits. */
const bounds: CheckpointBounds = {
  thread_copies_from: 20,
  restarted_from: 100,
  restarted_with_most: 20,
  commit_copies_from: 50,
  commit_copies_beside_thread_from: 1_000_000,
  commits_before_thread: 24,
};
/** For a process that reads nothing. */
const betweenReads = (work: () => void) => work();
/** More commits than any test needs. */
const commits_max = 200_000;

test('the thread copies the log, and the log restarts, while this process commits', async (t) => {
  const { database, commit, logState } = opened(t);
  const checkpoints = checkpointsOn(database, { bounds, betweenReads });
  t.after(() => checkpoints.close());
  let restarts = 0;
  for (let commits = 0; restarts < 3; commits += 1) {
    assert.ok(commits < commits_max, `the log restarted ${restarts} times`);
    const before = logState().log;
    commit();
    checkpoints.noteCommit();
    if (isByThread(database) && logState().log < before) restarts += 1;
    await nextTurn();
  }
});

test('the log restarts although this process reads all the time', async (t) => {
  const { database, commit, logState } = opened(t);
  const reader = new Database(database.name, { readonly: true });
  const turns = new Turns();
  const checkpoints = checkpointsOn(database, { bounds, betweenReads: (work) => void turns.run(work) });
  t.after(() => checkpoints.close());
  let restarts = 0;
  const read = async () => {
    reader.exec('begin');
    reader.prepare('select count(*) from lines').get();
    for (let turn = 0; turn < 3; turn += 1) await nextTurn();
    reader.exec('commit');
  };
  // One of them always waits, so that the next transaction begins as soon as one ends.
  let is_reading = true;
  const readers = [1, 2].map(async () => {
    while (is_reading) await turns.run(read);
  });
  t.after(async () => {
    is_reading = false;
    await Promise.all(readers);
    reader.close();
  });
  for (let commits = 0; restarts < 3; commits += 1) {
    assert.ok(commits < 10_000, `the log restarted ${restarts} times`);
    const before = logState().log;
    commit();
    checkpoints.noteCommit();
    if (isByThread(database) && logState().log < before) restarts += 1;
    await nextTurn();
  }
});

test('the rest of the log is copied between transactions, and not within one', async (t) => {
  const { database, commit } = opened(t);
  const checkpoints = checkpointsOn(database, {
    bounds: { ...bounds, thread_copies_from: 1_000_000, restarted_from: 10, restarted_with_most: 1_000_000 },
    betweenReads,
  });
  t.after(() => checkpoints.close());
  const reader = new Database(database.name);
  t.after(() => reader.close());
  const logState = () => logStateOf(reader);
  for (let commits = 0; commits < 20; commits += 1) commit();
  database.exec('begin; select count(*) from lines');
  const { log } = logState();
  await noteUntil(() => isByThread(database));
  assert.deepEqual(logState(), { log, checkpointed: 0 });
  database.exec('commit');
  await noteUntil(() => logState().checkpointed === log);
  commit();
  assert.ok(logState().log < log);

  async function noteUntil(isSo: () => boolean): Promise<void> {
    for (let commits = 0; !isSo(); commits += 1) {
      assert.ok(commits < commits_max);
      checkpoints.noteCommit();
      await nextTurn();
    }
  }
});

test('a database that is closed while its thread copies is whole, and has no log', async (t) => {
  const { database, path, commit } = opened(t);
  const threads = startedThreads(t);
  const checkpoints = checkpointsOn(database, { bounds, betweenReads });
  let count = 0;
  for (; !isByThread(database) || count % 100 !== 0; count += 1) {
    assert.ok(count < commits_max);
    commit();
    checkpoints.noteCommit();
    await nextTurn();
  }
  await checkpoints.close();
  assert.deepEqual(
    threads.map(({ threadId }) => threadId),
    [-1],
    'the thread has ended',
  );
  database.close();
  assert.equal(existsSync(`${path}-wal`), false);
  const again = new Database(path);
  t.after(() => again.close());
  assert.equal(again.pragma('integrity_check', { simple: true }), 'ok');
  assert.equal(again.prepare('select count(*) from lines').pluck().get(), count);
});

for (const [failure, commits_before] of [
  ['cannot start', 0],
  ['fails', bounds.commits_before_thread],
] as const) {
  test(`commits copy the log themselves when the thread ${failure}`, async (t) => {
    const { database, path, commit, logState } = opened(t);
    const checkpoints = checkpointsOn(database, { bounds, betweenReads });
    commitAndNote(commits_before);
    // This process has the file open.
    unlinkSync(path);
    for (let turns = 0; turns < 400; turns += 1) {
      commitAndNote(1);
      await nextTurn();
    }
    await checkpoints.close();
    assert.equal(isByThread(database), false);
    assert.ok(logState().log <= bounds.commit_copies_from + 8);

    function commitAndNote(count: number): void {
      for (let commits = 0; commits < count; commits += 1) {
        commit();
        checkpoints.noteCommit();
      }
    }
  });
}

test('commits copy the log again when the thread ends', async (t) => {
  const { database, commit, logState } = opened(t);
  const threads = startedThreads(t);
  const checkpoints = checkpointsOn(database, { bounds, betweenReads });
  t.after(() => checkpoints.close());
  await commitUntil(() => isByThread(database));
  await threads[0]?.terminate();
  await commitUntil(() => !isByThread(database));
  for (let commits = 0; commits < 400; commits += 1) commit();
  assert.ok(logState().log <= bounds.commit_copies_from + 8);

  async function commitUntil(isSo: () => boolean): Promise<void> {
    for (let commits = 0; !isSo(); commits += 1) {
      assert.ok(commits < commits_max);
      commit();
      checkpoints.noteCommit();
      await nextTurn();
    }
  }
});

test('a copy that fails here ends nothing', async (t) => {
  const { database, commit } = opened(t);
  const threads = startedThreads(t);
  const checkpoints = checkpointsOn(database, {
    bounds: { ...bounds, restarted_from: 1, restarted_with_most: 1_000_000 },
    betweenReads,
  });
  for (let commits = 0; commits < bounds.commits_before_thread; commits += 1) {
    commit();
    checkpoints.noteCommit();
  }
  await nextTurn();
  // Its answer arrives when no copy is possible here any more. The thread alone keeps no process.
  const [thread] = threads as [Worker];
  thread.ref();
  database.close();
  await once(thread, 'message');
  await checkpoints.close();
});

test('the log is never copied into a file that has taken the place of the database', async (t) => {
  const { database, path, commit } = opened(t);
  const checkpoints = checkpointsOn(database, { bounds, betweenReads });
  commit();
  const other = new Database(`${path}-other`);
  other.pragma('journal_mode = wal');
  other.exec('create table lines (text text not null)').close();
  renameSync(path, `${path}-moved`);
  copyFileSync(`${path}-other`, path);
  for (let commits = 0; commits < 100; commits += 1) {
    commit();
    checkpoints.noteCommit();
    await nextTurn();
  }
  await checkpoints.close();
  assert.deepEqual(readFileSync(path), readFileSync(`${path}-other`));
  database.exec('pragma wal_checkpoint(truncate)');
  const moved = new Database(`${path}-moved`, { readonly: true });
  t.after(() => moved.close());
  assert.equal(moved.prepare('select count(*) from lines').pluck().get(), 101);
});

test('a process that commits little starts no thread', async (t) => {
  const { database, commit } = opened(t);
  const threads = startedThreads(t);
  const checkpoints = checkpointsOn(database, { bounds, betweenReads });
  for (let commits = 1; commits < bounds.commits_before_thread; commits += 1) {
    commit();
    checkpoints.noteCommit();
  }
  await nextTurn();
  assert.equal(threads.length, 0);
  checkpoints.noteCommit();
  await nextTurn();
  assert.equal(threads.length, 1);
  await checkpoints.close();
});

test('a process that does not close its database ends all the same', async (t) => {
  const { path } = opened(t);
  assert.deepEqual(await endOfCommitting(path), [0, null]);
});

const second = secondBetterSqlite3();
after(() => second.remove());

for (const [name, library] of [
  ['node:sqlite', 'node:sqlite'],
  ['a second copy of better-sqlite3', second.folder],
] as const) {
  test(`the thread ends when the process loads ${name}, which may open the file while the thread reads the index`, async (t) => {
    const { path } = opened(t);
    assert.deepEqual(await endOfCommitting(path, library, 'later'), [0, null]);
  });

  test(`no thread starts in a process that has loaded ${name}`, async (t) => {
    const { path } = opened(t);
    assert.deepEqual(await endOfCommitting(path, library, 'first'), [0, null]);
  });
}

test('a thread starts in a process that has loaded a package around the same library', async (t) => {
  const { path } = opened(t);
  assert.deepEqual(await endOfCommitting(path, '@mikro-orm/sqlite', 'before'), [0, null]);
});

test('a database in memory has no log, and no thread', async (t) => {
  const database = new Database(':memory:');
  t.after(() => database.close());
  const threads = startedThreads(t);
  const checkpoints = checkpointsOn(database, { bounds, betweenReads });
  for (let commits = 0; commits < 64; commits += 1) checkpoints.noteCommit();
  await nextTurn();
  await checkpoints.close();
  assert.equal(threads.length, 0);
});

test('commits copy the log where no thread may', async (t) => {
  const { database, commit, logState } = opened(t);
  const threads = startedThreads(t);
  const checkpoints = checkpointsOn(database, { bounds, betweenReads, has_thread: false });
  let longest = 0;
  for (let commits = 0; commits < 256; commits += 1) {
    commit();
    checkpoints.noteCommit();
    longest = Math.max(longest, logState().log);
  }
  await nextTurn();
  await checkpoints.close();
  assert.equal(threads.length, 0);
  assert.ok(longest >= bounds.commit_copies_from && longest < 2 * bounds.commit_copies_from, `${longest} frames`);
});

/** The exit code and the signal of `committing-process.ts`. */
async function endOfCommitting(...args: readonly string[]): Promise<unknown> {
  const script = fileURLToPath(new URL('committing-process.ts', import.meta.url));
  const child = spawn(process.execPath, ['--conditions=source', script, ...args], {
    stdio: 'inherit',
    timeout: 60_000,
  });
  return await once(child, 'exit');
}

/** The threads that this process starts from now on. */
function startedThreads(t: TestContext): readonly Worker[] {
  const threads: Worker[] = [];
  const note = (thread: Worker) => void threads.push(thread);
  process.on('worker', note);
  t.after(() => process.off('worker', note));
  return threads;
}

/** Whether a thread copies the log: then commits do so only when it falls far behind. */
function isByThread(database: Database.Database): boolean {
  return database.pragma('wal_autocheckpoint', { simple: true }) === bounds.commit_copies_beside_thread_from;
}

function opened(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'tallystick-checkpoints-'));
  const path = join(folder, 'test.db');
  const database = new Database(path);
  t.after(() => {
    database.close();
    rmSync(folder, { recursive: true, force: true });
  });
  database.pragma('journal_mode = wal');
  database.exec('create table lines (text text not null)');
  const insert = database.prepare('insert into lines (text) values (?)');
  return {
    database,
    path,
    commit: () => void insert.run('x'.repeat(1_000)),
    logState: () => logStateOf(database),
  };
}

function logStateOf(database: Database.Database): LogState {
  const [{ log, checkpointed }] = database.pragma('wal_checkpoint(noop)') as [LogState];
  return { log, checkpointed };
}
