/** The connections to a SQLite database that are open at one time. */
import { closeSync, openSync } from 'node:fs';
import type { Timers } from '@tallystick/kernel';
import type { Database, Options, Statement } from 'better-sqlite3';
import { type CheckpointPorts, type Checkpoints, checkpointsOn } from './checkpoints.ts';
import { type DatabaseFile, databaseFile, no_file } from './database-file.ts';
import { onceFree } from './sqlite-dialect.ts';
import { waitEnd } from './turns.ts';

/** A copy of better-sqlite3: what opens a database. */
export type Library = new (path: string, options?: Options) => Database;

export interface Handles {
  readonly writer: Database;
  /** Only reads. */
  readonly reader: Database;
  /** Only reads, for look-ups of a decision. */
  readonly look_ups: Database;
  readonly file: DatabaseFile;
  readonly checkpoints: Checkpoints;
  readonly commit: Statement;
  readonly rollback: Statement;
  /**
   * Closes the connections, and leaves what is at the path as it is: it is not theirs any more. The
   * log is neither copied nor removed.
   */
  leave(): Promise<void>;
}

type HandlesPorts = Pick<CheckpointPorts, 'betweenReads' | 'copies_each' | 'has_thread'>;

/** Opens the file, and creates it unless it exists. */
export async function openHandles(
  path: string,
  library: Library,
  { timers, ...ports }: HandlesPorts & { readonly timers: Timers },
): Promise<Handles> {
  createFile(path);
  const opened: Database[] = [];
  const keep = (database: Database): Database => {
    opened.push(database);
    return database;
  };
  try {
    const writer = keep(new library(path));
    await prepareWriter(writer, timers);
    const reader = keep(new library(path, { readonly: true }));
    const look_ups = keep(new library(path, { readonly: true }));
    for (const each of [reader, look_ups]) prepareReader(each);
    return handlesOn({ writer, reader, look_ups, file: databaseFile(path) }, ports);
  } catch (error) {
    for (const database of opened) database.close();
    throw error;
  }
}

/** A database in memory has one connection for all. */
export async function openInMemory(library: Library, ports: HandlesPorts & { readonly timers: Timers }) {
  const database = new library(':memory:');
  await prepareWriter(database, ports.timers);
  return handlesOfHost(database, ports);
}

/** The handle of a host on a database in memory. */
export function handlesOfHost(database: Database, ports: HandlesPorts): Handles {
  return handlesOn({ writer: database, reader: database, look_ups: database, file: no_file }, ports);
}

function handlesOn(
  connections: Pick<Handles, 'writer' | 'reader' | 'look_ups' | 'file'>,
  ports: HandlesPorts,
): Handles {
  const { writer, reader, look_ups } = connections;
  const checkpoints = checkpointsOn(writer, ports);
  return {
    ...connections,
    checkpoints,
    commit: writer.prepare('commit'),
    rollback: writer.prepare('rollback'),
    async leave() {
      await checkpoints.close();
      // The last one may not write, so SQLite neither copies a log nor removes one.
      for (const each of [writer, look_ups, reader]) each.close();
    },
  };
}

/**
 * Creates the file unless it exists. To open and close an existing one would end the locks that
 * other connections of this process have on it.
 */
function createFile(path: string): void {
  try {
    closeSync(openSync(path, 'ax', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

async function prepareWriter(database: Database, timers: Timers): Promise<void> {
  // For opening: another process may open the file at the same time, and may have to recover it.
  database.pragma('busy_timeout = 5000');
  // Of the processes that do this to a new file at the same time, SQLite refuses some at once.
  await onceFree(() => database.pragma('journal_mode = WAL'), waitEnd(timers), timers);
  database.pragma('synchronous = FULL');
  database.pragma('foreign_keys = ON');
  // Overwritten and deleted data is wiped from its page: after a key rotation no free space
  // contains the old ciphertext.
  database.pragma('secure_delete = FAST');
  database.pragma('cache_size = -65536');
  // After a long reader has ended, the log releases its disk space.
  database.pragma('journal_size_limit = 67108864');
  readWithoutMap(database);
  // From here on `beginImmediate` waits, which does not block the process.
  database.pragma('busy_timeout = 0');
}

function prepareReader(database: Database): void {
  database.pragma('busy_timeout = 5000');
  // Every commit of the other connection empties this cache.
  database.pragma('cache_size = -16384');
  readWithoutMap(database);
  // A reader waits only while another process recovers the log.
  database.pragma('busy_timeout = 20');
}

function readWithoutMap(database: Database): void {
  database.pragma('temp_store = MEMORY');
  // Reads from a mapped file end the process with SIGBUS when the file was truncated.
  database.pragma('mmap_size = 0');
  // Opens the log, which is created by the first read.
  database.pragma('schema_version');
}
