/**
 * Checkpoints of SQLite: the log of recent commits is copied into the database file, and then
 * begins again at its start (ADR 0021).
 *
 *   resting ──many commits──> running: the thread copies the log beside the work of this process
 *   resting, running ──close──> over
 *   running ──the thread cannot start, or fails──> over: commits copy the log themselves again
 */
import { openSync, statSync } from 'node:fs';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { createPhase } from '@tallystick/kernel';
import type { Database } from 'better-sqlite3';

/** The answer of `pragma wal_checkpoint`: the frames of the log, and how many of them are copied. */
export interface LogState {
  readonly log: number;
  readonly checkpointed: number;
}

/** What the thread gets when it starts: the path of the database, and its file, open. */
export interface CheckpointThreadData {
  readonly path: string;
  readonly file: number;
}

/** Lengths of the log in frames. A frame is a page of 4 KiB. */
export interface CheckpointBounds {
  /** The thread copies the log when this much is not copied. */
  readonly thread_copies_from: number;
  /** When the log is longer, the rest is copied between two transactions, so that it restarts. */
  readonly restarted_from: number;
  /** Without a thread, a commit copies the log when it is longer than this. */
  readonly commit_copies_from: number;
  /** With a thread, a commit does so only when the thread has fallen this far behind. */
  readonly commit_copies_at_last_from: number;
  /** The thread starts after this many commits: a process that writes little needs none. */
  readonly commits_before_thread: number;
}

const bounds_default: CheckpointBounds = {
  thread_copies_from: 1_000,
  restarted_from: 16_000,
  commit_copies_from: 4_000,
  commit_copies_at_last_from: 32_000,
  commits_before_thread: 256,
};

/** The thread is asked once in so many commits. */
const commits_per_question = 8;

export interface Checkpoints {
  /** Called after each commit. */
  noteCommit(): void;
  /** Resolves when the thread has ended. Must precede the database's own close. */
  close(): Promise<void>;
}

/** Copies the log of an open database. A database in memory has no log, and no thread. */
export function checkpointsBesideWork(database: Database, bounds: CheckpointBounds = bounds_default): Checkpoints {
  const phase = createPhase('the thread of checkpoints', 'resting', {
    resting: ['running', 'over'],
    running: ['over'],
    over: [],
  });
  let commits = 0;
  let thread: Worker | null = null;
  let ended: Promise<void> = Promise.resolve();
  let is_asked = false;
  setCommitCopiesFrom(bounds.commit_copies_from);
  if (database.memory) phase.enter('over');

  function setCommitCopiesFrom(frames: number): void {
    database.pragma(`wal_autocheckpoint = ${frames}`);
  }

  function start(): void {
    phase.enter('running');
    const module = new URL(`checkpoint-thread${extname(import.meta.url)}`, import.meta.url);
    const data: CheckpointThreadData = { path: database.name, file: openFileOf(database.name) };
    const worker = new Worker(module, { workerData: data });
    worker.unref();
    worker.once('message', () => {
      if (phase.is('running')) setCommitCopiesFrom(bounds.commit_copies_at_last_from);
    });
    worker.on('message', (state: LogState) => {
      is_asked = false;
      if (phase.is('running')) restart(state);
    });
    worker.once('error', fail);
    thread = worker;
    ended = new Promise((resolve) => worker.once('exit', () => resolve()));
  }

  function fail(): void {
    if (!phase.is('running')) return;
    phase.enter('over');
    setCommitCopiesFrom(bounds.commit_copies_from);
  }

  /**
   * The thread cannot copy the frames that are committed while it copies. They are copied here when
   * they are few, and then the next commit begins at the start of the log.
   */
  function restart({ log, checkpointed }: LogState): void {
    if (log < bounds.restarted_from || log - checkpointed >= bounds.thread_copies_from) return;
    // Within a transaction of the ORM it is not possible: a later answer of the thread leads here
    // again.
    if (!database.inTransaction) database.pragma('wal_checkpoint(passive)');
  }

  return {
    noteCommit() {
      commits += 1;
      if (phase.is('over') || is_asked || commits < bounds.commits_before_thread) return;
      if (commits % commits_per_question !== 0) return;
      try {
        if (thread === null) start();
      } catch {
        return fail();
      }
      is_asked = true;
      thread?.postMessage(bounds.thread_copies_from);
    },
    async close() {
      if (phase.is('running')) {
        thread?.ref();
        thread?.postMessage(null);
      }
      if (!phase.is('over')) phase.enter('over');
      await ended;
    },
  };
}

/**
 * The open files of databases, by device and inode. They are never closed: on POSIX, the close of a
 * file ends every lock that this process has on it, also those of SQLite.
 */
const open_files = new Map<string, number>();

function openFileOf(path: string): number {
  const { dev, ino } = statSync(path);
  const name = `${dev} ${ino}`;
  const file = open_files.get(name) ?? openSync(path, 'r');
  open_files.set(name, file);
  return file;
}
