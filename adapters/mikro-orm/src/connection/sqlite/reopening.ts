/**
 * Opens the file again after another library in this process has opened or closed it (ADR 0023). It
 * knows nothing of our connections, and on POSIX the locks of one process do not exclude each
 * other. As the first one, as it believes, it truncates the index of the log: a commit that needs
 * more of the index, which is mapped, would end the process with SIGBUS. Its close ends all locks,
 * and as the last one it copies the log into the database and removes it: our connections would go
 * on with a log that nobody finds again.
 *
 * SQLite shares the index of the log among the connections of one copy of the library. One that is
 * opened while another one still has a removed index uses that index with the log of the path, which
 * destroys the file. So all instances of this process on a file open it again together.
 */
import { Fault } from '@tallystick/kernel';
import type { LogState } from './checkpoints.ts';
import { TakenOver } from './database-file.ts';
import type { Handles, Library } from './handles.ts';
import { Turns } from './turns.ts';

/** How often work is attempted while others open and close the file. */
const attempts_max = 6;

export interface ReopeningPorts {
  /** Null for a database in memory, which is never lost. */
  readonly path: string | null;
  /** The copy of better-sqlite3 that opens the file. */
  readonly library: Library;
  readonly handles: () => Handles;
  /** The turns of all connections, in the order in which they are taken. */
  readonly turns: readonly Turns[];
  /** Closes the connections, and leaves what is at the path as it is. */
  readonly leave: () => Promise<void>;
  /** Opens others. */
  readonly open: () => Promise<void>;
}

export interface Reopening {
  /** Opens the file for the first time, after the other instances have opened it again if it is lost. */
  openFirst(open: () => Promise<void>): Promise<void>;
  /** To be called when the connections are closed. */
  end(): void;
  /**
   * Opens the file again if another library has taken its log over. Resolves with whether it has.
   * Rejects with a retryable fault when it cannot be opened, or when commits are only in a log that
   * was removed.
   */
  reopenIfLost(): Promise<boolean>;
  /** See `SqliteConnection.onFile`. */
  onFile<Result>(attempt: () => Promise<Result>, only_reads: boolean): Promise<Result>;
}

export function reopeningOn(ports: ReopeningPorts): Reopening {
  const { path, library } = ports;
  const { promise: closed, resolve: noteClosed } = Promise.withResolvers<void>();
  const member: Member = { ...ports, closed };

  async function reopenIfLost(): Promise<boolean> {
    if (path === null || !isLost(member)) return false;
    await alone(library, path, reopen);
    return true;
  }

  return {
    async openFirst(open) {
      if (path === null) return await open();
      await alone(library, path, async (group) => {
        await reopen(group);
        await open();
        group.members.add(member);
      });
    },
    end() {
      noteClosed();
      if (path === null) return;
      groupOf(library, path).members.delete(member);
      forgetIfUnused(library, path);
    },
    reopenIfLost,
    async onFile(attempt, only_reads) {
      for (let attempts = 1; ; attempts += 1) {
        try {
          const result = await attempt();
          // What it has read was perhaps changed by others. What it has committed is kept, or
          // rejected.
          if (!(await reopenIfLost()) || !only_reads || attempts === attempts_max) return result;
        } catch (error) {
          const is_lost = await reopenIfLost();
          if (attempts === attempts_max || !(is_lost || error instanceof TakenOver)) throw error;
        }
      }
    },
  };
}

interface Member extends ReopeningPorts {
  /** Resolves when its connections are closed. */
  readonly closed: Promise<void>;
}

/** The instances of this process on one file, by one copy of the library. */
interface Group {
  readonly path: string;
  readonly members: Set<Member>;
  readonly turns: Turns;
  /** Those that have or want a turn. */
  users: number;
  has_warned: boolean;
}

const groups = new Map<Library, Map<string, Group>>();

function groupOf(library: Library, path: string): Group {
  const of_library = groups.get(library) ?? new Map<string, Group>();
  groups.set(library, of_library);
  const group = of_library.get(path) ?? {
    path,
    members: new Set<Member>(),
    turns: new Turns(),
    users: 0,
    has_warned: false,
  };
  of_library.set(path, group);
  return group;
}

function forgetIfUnused(library: Library, path: string): void {
  const { members, users } = groupOf(library, path);
  const of_library = groups.get(library)!;
  if (members.size === 0 && users === 0) of_library.delete(path);
  if (of_library.size === 0) groups.delete(library);
}

/** While no other instance opens the file. */
async function alone(library: Library, path: string, work: (group: Group) => Promise<void>): Promise<void> {
  const group = groupOf(library, path);
  group.users += 1;
  try {
    await group.turns.run(() => work(group));
  } finally {
    group.users -= 1;
    forgetIfUnused(library, path);
  }
}

function isLost({ handles }: Member): boolean {
  const { file, writer } = handles();
  return !writer.open || file.isLogLost();
}

/** Opens the file again for all members, while nobody uses a connection of one, if it is lost. */
async function reopen(group: Group): Promise<void> {
  const { path, members } = group;
  if (![...members].some(isLost)) return;
  const taken: Turns[] = [];
  try {
    for (const { turns, closed } of [...members]) {
      try {
        for (const each of turns) {
          await each.take();
          taken.push(each);
        }
      } catch {
        // It has no turns any more, because it is closing.
        await closed;
      }
    }
    if ([...members].some(({ handles }) => handles().writer.open && !isKept(handles()))) {
      throw new Fault(
        `the log of ${path} was removed, and commits of it are not in the database: end the other programs that use the file, then restart this one`,
        { retryable: true },
      );
    }
    try {
      for (const { leave } of members) await leave();
      for (const { open } of members) await open();
    } catch (cause) {
      throw new Fault(
        `${path} cannot be opened again after another SQLite library in this process has opened or closed it: also close the other handles that this process has on it`,
        { retryable: true, cause },
      );
    }
    if (group.has_warned) return;
    group.has_warned = true;
    process.emitWarning(
      `another SQLite library in this process has opened or closed ${path}, which ended the locks on it. It was opened again, and no commit is lost. Commits take longer from now on. Two libraries that write at the same time can destroy the file: use one, and pass its handle as the option database (docs/embedding.md, SQLite in one process)`,
      { code: 'TALLYSTICK_SECOND_SQLITE' },
    );
  } finally {
    for (const each of taken) each.end();
  }
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
