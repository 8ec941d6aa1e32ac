/**
 * A process that commits to the database at the path in its argument until a thread copies the log.
 * Then it has nothing left to do, and closes nothing. It loads a package `before`. With that of
 * another SQLite library it loads that `later` and goes on until the thread has ended, or loads it
 * `first` and fails when a thread starts.
 */
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { checkpointsOn } from '../src/connection/sqlite/checkpoints.ts';

const [path = '', library, when] = process.argv.slice(2);
const load = () => library !== undefined && createRequire(import.meta.url)(library);
const database = new Database(path);
const checkpoints = checkpointsOn(database, { betweenReads: (work) => work() });
const insert = database.prepare('insert into lines (text) values (?)');
const threads = new Set<Worker>();
process.on('worker', (thread: Worker) => {
  threads.add(thread);
  thread.once('exit', () => threads.delete(thread));
});
let commits = 0;

async function commitUntil(isSo: () => boolean): Promise<void> {
  while (!isSo()) {
    insert.run('x');
    commits += 1;
    checkpoints.noteCommit();
    await nextTurn();
  }
}

const commitsCopyFrom = () => database.pragma('wal_autocheckpoint', { simple: true });
const without_thread = commitsCopyFrom();
if (when === 'before') load();
if (when === 'first') {
  load();
  await commitUntil(() => commits === 600 || threads.size > 0);
  assert.equal(threads.size, 0);
} else {
  await commitUntil(() => commitsCopyFrom() !== without_thread);
}
if (when === 'later') {
  load();
  await commitUntil(() => threads.size === 0);
  assert.equal(commitsCopyFrom(), without_thread);
}
