/**
 * The files of an open SQLite database: the database itself, its log (`-wal`) and the log's index
 * (`-shm`). Another program may delete or replace one of them. SQLite would continue with the old
 * file, which nobody finds again, and would report every commit as durable.
 */
import { type BigIntStats, readFileSync, statSync } from 'node:fs';
import { Fault } from '@tallystick/kernel';
import { hasOtherLibrary } from './other-libraries.ts';

export interface DatabaseFile {
  /**
   * Throws a retryable fault unless each path still leads to the file that was opened, the index of
   * the log is as long as it was, because the next commit uses what is mapped of it, and it is
   * locked. Takes a few microseconds.
   */
  assertInPlace(): void;
  /**
   * Whether another library in this process has taken the log over, and the database itself is in
   * place. As the first one that opens the file, as it believes, it truncates the index of the log.
   * As the last one that closes it, it deletes both, unless it only reads: then our locks have
   * ended, which only Linux reports. Takes two microseconds when there is no other library, and ten
   * when there is one.
   */
  isLogLost(): boolean;
  /** The log that the path leads to: the one that was opened, another one, or none, without an index. */
  logAtPath(): 'same' | 'other' | 'none';
}

/** A database in memory has no file. */
export const no_file: DatabaseFile = { assertInPlace() {}, isLogLost: () => false, logAtPath: () => 'same' };

/** The files that the path leads to now. All of them must exist: the database was read. */
export function databaseFile(path: string): DatabaseFile {
  // The log is empty after some checkpoints, the database never. SQLite makes the index longer, and
  // never shorter while it is open.
  const database = openedFile(path, { size_min: 1n });
  const log = openedFile(`${path}-wal`, { size_min: 0n });
  const index = openedFile(`${path}-shm`, { size_min: 0n, only_grows: true });
  const isLocked = lockOf(index.name);
  const reports_locks = isLocked() === true;
  const isUnlocked = () => hasOtherLibrary() && reports_locks && isLocked() === false;

  function isLogLost(): boolean {
    const problem = index.problem();
    if (problem === null) return isUnlocked();
    return (problem === 'truncated' || log.problem() !== null) && database.problem() === null;
  }

  return {
    assertInPlace() {
      for (const { name, problem } of [database, log, index]) {
        const found = problem();
        if (found !== null) throw isLogLost() ? new TakenOver(path) : changed(name, found);
      }
      if (isUnlocked()) throw new TakenOver(path);
    },
    isLogLost,
    logAtPath() {
      if (log.problem() === null) return 'same';
      return log.problem() === 'deleted' && index.problem() === 'deleted' ? 'none' : 'other';
    },
  };
}

type Problem = 'deleted' | 'replaced' | 'truncated';

interface OpenedFile {
  readonly name: string;
  /** What is wrong with the file now; null when nothing is. */
  readonly problem: () => Problem | null;
}

/** A file with its least length, bytes. */
function openedFile(
  name: string,
  { size_min, only_grows = false }: { readonly size_min: bigint; readonly only_grows?: boolean },
): OpenedFile {
  const identity = identityOf(name);
  let least = size_min;
  return {
    name,
    problem() {
      const found = statSync(name, { bigint: true, throwIfNoEntry: false });
      if (found === undefined) return 'deleted';
      // Windows does not let anybody replace a file that is open.
      if (process.platform !== 'win32' && identity !== identityIn(found)) return 'replaced';
      if (found.size < least) return 'truncated';
      if (only_grows) least = found.size;
      return null;
    },
  };
}

/**
 * Whether this process has the lock on the index of the log that SQLite keeps while the index is
 * open: its byte 128, reported together with those before it that are also locked to read. Null when
 * the system does not report locks.
 */
function lockOf(name: string): () => boolean | null {
  const lock = new RegExp(` READ +${process.pid} [0-9a-f:]+:${statSync(name, { bigint: true }).ino} \\d+ 128$`, 'm');
  return () => {
    try {
      return lock.test(readFileSync('/proc/locks', 'utf8'));
    } catch {
      return null;
    }
  };
}

function changed(name: string, how: Problem): Fault {
  return new Fault(
    `the file ${name} was ${how} while the database was open: put it back, or restart the service on a restored database`,
    { retryable: true },
  );
}

/** Another library in this process has opened or closed the file in the middle of a transaction. */
export class TakenOver extends Fault {
  constructor(path: string) {
    super(
      `another SQLite library in this process has opened or closed ${path}, and the transaction was rolled back: do it again`,
      { retryable: true },
    );
  }
}

/** What distinguishes one file from another, whatever its path. */
export function identityOf(path: string): string {
  return identityIn(statSync(path, { bigint: true }));
}

function identityIn({ dev, ino }: BigIntStats): string {
  return `${dev} ${ino}`;
}
