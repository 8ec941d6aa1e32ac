/**
 * Checkpoints of SQLite: the log of recent commits is copied into the database file, and then
 * begins again at its start (ADR 0021).
 *
 *   resting ──many commits──> starting ──first answer──> running: the thread copies the log
 *   starting, running ──the thread cannot start, or ends──> over: commits copy the log themselves
 *   resting, starting, running ──another SQLite library is loaded──> over
 *   resting, starting, running ──close──> over
 */
import { openSync } from 'node:fs';
import { resolve } from 'node:path';
import { isMainThread, type Worker } from 'node:worker_threads';
import { assert, createPhase } from '@tallystick/kernel';
import type { Database } from 'better-sqlite3';
import { type CheckpointThreadQuestion, startCheckpointThread } from './checkpoint-thread.ts';
import { identityOf } from './database-file.ts';
import { hasOtherLibrary } from './other-libraries.ts';

/**
 * The answer of `pragma wal_checkpoint`: the frames of the log, and how many of them are copied.
 */
export interface LogState {
  readonly log: number;
  readonly checkpointed: number;
}

/** Lengths of the log in frames. A frame is a page of 4 KiB. */
export interface CheckpointBounds {
  /** The thread copies the log when this much of it is not copied. */
  readonly thread_copies_from: number;
  /** A log of this length is restarted when the thread has left little. */
  readonly restarted_from: number;
  /** The most that the thread may have left: it is copied between two transactions. */
  readonly restarted_with_most: number;
  /** Without a thread, a commit copies the log when it is this long. */
  readonly commit_copies_from: number;
  /** With a thread, a commit copies the log at this length: the thread is behind, or a reader waits. */
  readonly commit_copies_beside_thread_from: number;
  /** The thread starts after this many commits: a process that writes little needs none. */
  readonly commits_before_thread: number;
}

const bounds_default: CheckpointBounds = {
  thread_copies_from: 1_000,
  restarted_from: 16_000,
  restarted_with_most: 2_000,
  commit_copies_from: 4_000,
  commit_copies_beside_thread_from: 32_000,
  commits_before_thread: 256,
};

/** The thread is asked at most once in this number of commits. */
const commits_per_question = 8;

export interface CheckpointPorts {
  readonly bounds?: CheckpointBounds;
  /**
   * Each commit copies the log: another library in this process may remove it at any time
   * (ADR 0023). There is no thread then.
   */
  readonly copies_each?: boolean;
  /** False: commits copy the log, and no thread. True when absent. */
  readonly has_thread?: boolean | undefined;
  /**
   * Runs the work while no transaction of this process reads. A reader would keep the log from its
   * restart, and under load one always reads.
   */
  readonly betweenReads: (work: () => void) => void;
}

export interface Checkpoints {
  /** Called after each commit. */
  noteCommit(): void;
  /** Resolves when the thread has ended. Must precede the database's own close. */
  close(): Promise<void>;
}

/** Copies the log of an open database. A database in memory has no log, and no thread. */
export function checkpointsOn(
  database: Database,
  { bounds = bounds_default, copies_each = false, has_thread = true, betweenReads }: CheckpointPorts,
): Checkpoints {
  const phase = createPhase('the thread of checkpoints', 'resting', {
    resting: ['starting', 'over'],
    starting: ['running', 'over'],
    running: ['over'],
    over: [],
  });
  const path = resolve(database.name);
  const identity = database.memory ? null : identityOf(path);
  let commits = 0;
  let thread: Worker | null = null;
  let ended: Promise<void> = Promise.resolve();
  let is_asked = false;
  let is_restarting = false;
  commitsCopyFrom(copies_each ? 1 : bounds.commit_copies_from);
  // Within a worker, Node would close the descriptor that `openFileOf` keeps open.
  if (database.memory || !isMainThread || copies_each || !has_thread) phase.enter('over');

  function commitsCopyFrom(frames: number): void {
    if (database.open) database.pragma(`wal_autocheckpoint = ${frames}`);
  }

  function start(): Worker {
    const data = { path, file: openFileOf(path, identity), copies_from: bounds.thread_copies_from };
    const worker = startCheckpointThread(database, data);
    worker.on('message', answered);
    worker.on('error', fail);
    worker.once('exit', fail);
    ended = new Promise((end) => worker.once('exit', () => end()));
    // Last: a listener of messages would keep the process alive again.
    worker.unref();
    return worker;
  }

  function answered(state: LogState | null): void {
    is_asked = false;
    if (phase.is('starting')) {
      phase.enter('running');
      commitsCopyFrom(bounds.commit_copies_beside_thread_from);
    }
    if (phase.is('running') && state !== null) restart(state);
  }

  /**
   * The thread cannot copy the frames that are committed while it copies. They are copied here when
   * they are few, and then the next commit begins at the start of the log.
   */
  function restart({ log, checkpointed }: LogState): void {
    if (log < bounds.restarted_from || log - checkpointed > bounds.restarted_with_most) return;
    copyBetweenReads();
  }

  function copyBetweenReads(): void {
    if (is_restarting) return;
    is_restarting = true;
    betweenReads(() => {
      is_restarting = false;
      try {
        database.pragma('wal_checkpoint(passive)');
      } catch {
        // For example within a transaction of the ORM, or a full disk. A later answer leads here
        // again.
      }
    });
  }

  function fail(cause: unknown): void {
    if (phase.is('over')) return;
    endThread();
    process.emitWarning(`commits copy the log of ${path} from now on: its thread has ended (${String(cause)})`);
  }

  function endThread(): void {
    phase.enter('over');
    commitsCopyFrom(bounds.commit_copies_from);
    thread?.postMessage('end' satisfies CheckpointThreadQuestion);
  }

  return {
    noteCommit() {
      commits += 1;
      // The commit itself cannot copy the log while a transaction reads.
      if (copies_each) copyBetweenReads();
      if (phase.is('over') || commits < bounds.commits_before_thread || commits % commits_per_question !== 0) return;
      // Another library that opens the file truncates the index of the log, which ends a process
      // whose thread reads the index at that time.
      if (hasOtherLibrary()) {
        endThread();
        return;
      }
      if (is_asked) return;
      if (phase.is('resting')) {
        phase.enter('starting');
        try {
          thread = start();
        } catch (error) {
          fail(error);
          return;
        }
      }
      is_asked = true;
      thread?.postMessage('copy' satisfies CheckpointThreadQuestion);
    },
    async close() {
      if (!phase.is('over')) endThread();
      thread?.ref();
      await ended;
    },
  };
}

/**
 * The open files of databases, by device and inode. They are never closed: on POSIX, the close of a
 * file ends every lock that this process has on it, also those of SQLite.
 */
const open_files = new Map<string, number>();

/**
 * Violates when the path leads to another file than the database's: the log is not copied there.
 */
function openFileOf(path: string, identity: string | null): number {
  assert(identity !== null && identityOf(path) === identity, 'another file has taken the place of the database');
  const file = open_files.get(identity) ?? openSync(path, 'r');
  open_files.set(identity, file);
  return file;
}
