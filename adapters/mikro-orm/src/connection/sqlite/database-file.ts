/**
 * The files of an open SQLite database: the database itself, its log (`-wal`) and the log's index
 * (`-shm`). Another program may delete or replace one of them. SQLite would continue with the old
 * file, which nobody finds again, and would report every commit as durable.
 */
import { type BigIntStats, statSync } from 'node:fs';
import { Fault } from '@tallystick/kernel';

export interface DatabaseFile {
  /**
   * Throws a retryable fault unless each path still leads to the file that was opened. Takes a few
   * microseconds.
   */
  assertInPlace(): void;
  /**
   * Whether the log and its index were deleted or replaced, and the database itself is in place. A
   * connection that closes as the last one leaves this behind. Takes two microseconds when the log
   * is in place.
   */
  isLogLost(): boolean;
  /** Whether there is no log, and no index of one. */
  isLogAbsent(): boolean;
}

/** A database in memory has no file. */
export const no_file: DatabaseFile = { assertInPlace() {}, isLogLost: () => false, isLogAbsent: () => false };

/** The files that the path leads to now. All of them must exist: the database was read. */
export function databaseFile(path: string): DatabaseFile {
  const opened = [path, `${path}-wal`, `${path}-shm`].map((name) => ({ name, identity: identityOf(name) }));
  const [database, log, index] = opened as [OpenedFile, OpenedFile, OpenedFile];

  function assertSame({ name, identity }: OpenedFile): void {
    const found = find(name);
    if (found === undefined) throw lost(name, 'deleted');
    // Windows does not let anybody replace a file that is open.
    if (process.platform !== 'win32' && identity !== identityIn(found)) throw lost(name, 'replaced');
    // The log is empty after some checkpoints, the database never.
    if (name === path && found.size === 0n) throw lost(name, 'emptied');
  }

  return {
    assertInPlace() {
      for (const file of opened) assertSame(file);
    },
    isLogLost: () => !isSame(log) && !isSame(index) && isSame(database),
    isLogAbsent: () => [log, index].every(({ name }) => find(name) === undefined),
  };
}

interface OpenedFile {
  readonly name: string;
  readonly identity: string;
}

function isSame({ name, identity }: OpenedFile): boolean {
  const found = find(name);
  return found !== undefined && (process.platform === 'win32' || identity === identityIn(found));
}

function find(name: string): BigIntStats | undefined {
  return statSync(name, { bigint: true, throwIfNoEntry: false });
}

function lost(name: string, how: 'deleted' | 'replaced' | 'emptied'): Fault {
  return new Fault(
    `the file ${name} was ${how} while the database was open: put it back, or restart the service on a restored database`,
    { retryable: true },
  );
}

/** What distinguishes one file from another, whatever its path. */
export function identityOf(path: string): string {
  return identityIn(statSync(path, { bigint: true }));
}

function identityIn({ dev, ino }: BigIntStats): string {
  return `${dev} ${ino}`;
}
