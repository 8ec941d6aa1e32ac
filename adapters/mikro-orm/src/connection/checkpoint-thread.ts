/**
 * The thread of `checkpointsBesideWork`. Each question that it receives is the number of frames
 * from which it copies the log, or null for its end. It answers with the state of the log.
 */
import { fdatasyncSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { assert } from '@tallystick/kernel';
import Database from 'better-sqlite3';
import type { CheckpointThreadData, LogState } from './checkpoints.ts';

const port = parentPort;
assert(port !== null, 'a thread of checkpoints has a parent');
const { path, file } = workerData as CheckpointThreadData;
const database = new Database(path, { fileMustExist: true });
database.pragma('synchronous = FULL');

port.on('message', (copied_from_frames: number | null) => {
  if (copied_from_frames === null) {
    database.close();
    port.close();
    return;
  }
  let state = checkpoint('noop');
  if (state.log - state.checkpointed >= copied_from_frames) {
    state = checkpoint('passive');
    syncEarly();
  }
  port.postMessage(state);
});

function checkpoint(mode: 'noop' | 'passive'): LogState {
  return (database.pragma(`wal_checkpoint(${mode})`) as [LogState])[0];
}

/**
 * SQLite syncs the file only when the whole log is copied, and then for as long as all copied pages
 * take. After this sync that takes little.
 */
function syncEarly(): void {
  try {
    fdatasyncSync(file);
  } catch {
    // Not every system syncs a file that is open for reading. SQLite then has more to sync.
  }
}
