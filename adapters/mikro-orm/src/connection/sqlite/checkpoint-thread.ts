/**
 * The thread of `checkpointsOn`. Asked to copy, it copies the log if enough of it is not copied, and
 * answers with the state of the log, or null when it could not. Asked to end, it ends.
 */
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { assert } from '@tallystick/kernel';
import type { Database } from 'better-sqlite3';

/** What the thread receives when it starts. */
export interface CheckpointThreadData {
  readonly path: string;
  /** An open descriptor of its file. */
  readonly file: number;
  /** See `CheckpointBounds.thread_copies_from`. */
  readonly copies_from: number;
}

export type CheckpointThreadQuestion = 'copy' | 'end';

export function startCheckpointThread(database: Database, data: CheckpointThreadData): Worker {
  return new Worker(program, { eval: true, workerData: { ...data, library: libraryOf(database) } });
}

/**
 * The file of the library that has opened the database. Another copy of the library would close its
 * connection without knowing of this one, and so end the locks of the whole process.
 */
function libraryOf(database: Database): string {
  const loaded = Object.values(createRequire(process.execPath).cache);
  const library = loaded.find((module) => module?.exports === database.constructor)?.filename;
  assert(library !== undefined, 'better-sqlite3 was loaded from a file of its own');
  return library;
}

/** A text, because a bundle has no file of this module. It names nothing that a bundler renames. */
const program = `
const { fdatasyncSync, fstatSync, statSync } = require('node:fs');
const { parentPort, workerData } = require('node:worker_threads');
const { path, file, copies_from, library } = workerData;
const Database = require(library);
const database = new Database(path, { fileMustExist: true });
// Before anything is read: the log must never be copied into another file.
const [found, expected] = [statSync(path), fstatSync(file)];
if (found.dev !== expected.dev || found.ino !== expected.ino) {
  throw new Error('another file has taken the place of the database');
}
database.pragma('synchronous = FULL');

parentPort.on('message', (question) => {
  if (question === 'end') {
    database.close();
    // Ends this thread only, also when something else keeps its event loop alive.
    process.exit();
  }
  parentPort.postMessage(copy());
});

function copy() {
  try {
    const before = checkpoint('noop');
    if (before.log - before.checkpointed < copies_from) return before;
    // While another connection reads an old state, nothing more can be copied.
    if (checkpoint('passive').checkpointed !== before.checkpointed) syncEarly();
    return checkpoint('noop');
  } catch {
    // For example a full disk. The next question tries again, and so do commits when the log is
    // long.
    return null;
  }
}

function checkpoint(mode) {
  return database.pragma('wal_checkpoint(' + mode + ')')[0];
}

/**
 * SQLite syncs the file only when the whole log is copied, which happens on the main thread. This
 * sync leaves little to do there.
 */
function syncEarly() {
  try {
    fdatasyncSync(file);
  } catch {
    // Not every system syncs a file that is open for reading. SQLite's own sync reports errors.
  }
}
`;
