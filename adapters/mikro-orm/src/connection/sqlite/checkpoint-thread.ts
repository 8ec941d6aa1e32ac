/**
 * The thread of `checkpointsOn`. Asked to copy, it copies the log if enough of it is not copied, and
 * answers with the state of the log, or null when it could not. Asked to end, it ends.
 */
import { fdatasyncSync, fstatSync, statSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { assert } from '@tallystick/kernel';
import Database from 'better-sqlite3';
import type { CheckpointThreadData, CheckpointThreadQuestion, LogState } from './checkpoints.ts';

const port = parentPort;
assert(port !== null, 'a thread of checkpoints has a parent');
const { path, file, copies_from } = workerData as CheckpointThreadData;
const database = new Database(path, { fileMustExist: true });
// Before anything is read: the log must never be copied into another file.
const [found, expected] = [statSync(path), fstatSync(file)];
assert(found.dev === expected.dev && found.ino === expected.ino, 'another file has taken the place of the database');
database.pragma('synchronous = FULL');

port.on('message', (question: CheckpointThreadQuestion) => {
  if (question === 'end') {
    database.close();
    // Ends this thread only, also when something else keeps its event loop alive.
    process.exit();
  }
  port.postMessage(copy());
});

function copy(): LogState | null {
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

function checkpoint(mode: 'noop' | 'passive'): LogState {
  return (database.pragma(`wal_checkpoint(${mode})`) as [LogState])[0];
}

/**
 * SQLite syncs the file only when the whole log is copied, which happens on the main thread. This
 * sync leaves little to do there.
 */
function syncEarly(): void {
  try {
    fdatasyncSync(file);
  } catch {
    // Not every system syncs a file that is open for reading. SQLite's own sync reports errors.
  }
}
