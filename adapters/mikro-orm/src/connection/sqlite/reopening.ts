/**
 * Opens the file again after another library in this process has opened or closed it (ADR 0023). It
 * knows nothing of our connections, and on POSIX the locks of one process do not exclude each
 * other. As the first one, as it believes, it truncates the index of the log: a commit that needs
 * more of the index, which is mapped, would end the process with SIGBUS. Its close ends all locks,
 * and as the last one it copies the log into the database and removes it: our connections would go
 * on with a log that nobody finds again.
 */
import { Fault } from '@tallystick/kernel';
import type { LogState } from './checkpoints.ts';
import type { Handles } from './handles.ts';
import type { Turns } from './turns.ts';

/** How often work is attempted while others open and close the file. */
const attempts_max = 6;

export interface ReopeningPorts {
  /** Null for a database in memory, which is never lost. */
  readonly path: string | null;
  readonly handles: () => Handles;
  /** The turns of all connections, in the order in which they are taken. */
  readonly turns: readonly Turns[];
  /** Closes the connections, and opens others. */
  readonly replace: () => Promise<void>;
}

export interface Reopening {
  /**
   * Opens the file again if another library has taken its log over. Resolves with whether it has.
   * Rejects with a retryable fault when it cannot be opened, or when commits are only in a log that
   * was removed.
   */
  reopenIfLost(): Promise<boolean>;
  /** See `SqliteConnection.onFile`. */
  onFile<Result>(attempt: () => Promise<Result>, only_reads: boolean): Promise<Result>;
}

export function reopeningOn({ path, handles, turns, replace }: ReopeningPorts): Reopening {
  let reopening: Promise<void> | null = null;
  let has_warned = false;

  /** While nobody uses a connection. */
  async function reopen(): Promise<void> {
    const taken: Turns[] = [];
    try {
      for (const each of turns) {
        await each.take();
        taken.push(each);
      }
      const { file, writer } = handles();
      if (writer.open && !file.isLogLost()) return;
      if (writer.open && !isKept(handles())) {
        throw new Fault(
          `the log of ${path} was removed, and commits of it are not in the database: end the other programs that use the file, then restart this one`,
          { retryable: true },
        );
      }
      await replace().catch((cause: unknown) => {
        throw new Fault(
          `${path} cannot be opened again after another SQLite library in this process has opened or closed it: also close the other handles that this process has on it`,
          { retryable: true, cause },
        );
      });
      if (has_warned) return;
      has_warned = true;
      process.emitWarning(
        `another SQLite library in this process has opened or closed ${path}, which ended the locks on it. It was opened again, and no commit is lost. Commits take longer from now on. Two libraries that write at the same time can destroy the file: use one, and pass its handle as the option database (docs/embedding.md, SQLite in one process)`,
        { code: 'TALLYSTICK_SECOND_SQLITE' },
      );
    } finally {
      for (const each of taken) each.end();
    }
  }

  async function reopenIfLost(): Promise<boolean> {
    const { file, writer } = handles();
    if (path === null || (writer.open && !file.isLogLost())) return false;
    reopening ??= reopen().finally(() => {
      reopening = null;
    });
    await reopening;
    return true;
  }

  return {
    reopenIfLost,
    async onFile(attempt, only_reads) {
      for (let attempts = 1; ; attempts += 1) {
        try {
          const result = await attempt();
          // What it has read was perhaps changed by others. What it has committed is kept, or
          // rejected.
          if (!(await reopenIfLost()) || !only_reads || attempts === attempts_max) return result;
        } catch (error) {
          if (attempts === attempts_max || !(await reopenIfLost())) throw error;
        }
      }
    },
  };
}

/**
 * Whether everything that was committed is in the files of the path. Copies it into the database, if
 * nobody else has a log by now.
 */
function isKept({ writer, file }: Handles): boolean {
  const log = file.logAtPath();
  if (log === 'same') return true;
  const [state] = writer.pragma('wal_checkpoint(noop)') as [LogState];
  if (state.log === state.checkpointed) return true;
  if (log === 'other') return false;
  const [copied] = writer.pragma('wal_checkpoint(passive)') as [LogState];
  return copied.log === copied.checkpointed;
}
