import type { AuditMac, Random, Timers } from '@tallystick/kernel';
import { memoryPersistence, memoryStorage, type State } from '@tallystick/memory';
import { mikroOrmPersistence, type Persistence } from '@tallystick/mikro-orm';
import { migratedDatabase } from '@tallystick/test-support';
import Database from 'better-sqlite3';
import pg from 'pg';
import { Machine } from '../machine.ts';
import { DatabaseAnswers } from './database-answers.ts';
import { StateOfRows } from './state-of-rows.ts';

export const storage_names = ['memory', 'sqlite', 'postgres'] as const;
export type StorageName = (typeof storage_names)[number];

/** What a process opens its storage with. */
export interface NodePorts {
  readonly timersOf: (machine: Machine) => Timers;
  readonly random: Random;
  readonly audit_mac: AuditMac;
}

/** Where all processes of a world store, and what the oracles read of it. */
export interface WorldStorage {
  readonly database_url: string;
  /** Opens it for the process of a machine. */
  open(machine: Machine, ports: NodePorts): Promise<Persistence>;
  /** What was committed after the last step. */
  readonly committed: State;
  /**
   * Resolves when the database has answered, or does not while its calls wait for each other or for
   * time, and what is committed was read. Null: both take no time.
   */
  readonly settled: (() => Promise<void>) | null;
  close(): Promise<void>;
}

export async function openStorage(name: StorageName): Promise<WorldStorage> {
  if (name === 'memory') return inMemory();
  return name === 'sqlite' ? await onSqlite() : await onPostgres();
}

function inMemory(): WorldStorage {
  const storage = memoryStorage();
  return {
    database_url: 'sqlite::memory:',
    async open(machine, { timersOf, ...ports }) {
      const timers = timersOf(machine);
      return memoryPersistence({ storage, clock: timers, timers, ...ports });
    },
    get committed() {
      return storage.committed;
    },
    settled: null,
    async close() {},
  };
}

/**
 * The storage of a process on a database. Its connections outlive the process: what the process had
 * not committed is rolled back, which takes turns, and then they are closed.
 */
async function openOn(
  machine: Machine,
  { timersOf, ...ports }: NodePorts,
  options: Pick<Parameters<typeof mikroOrmPersistence>[0], 'database_url' | 'connections_max'>,
): Promise<Persistence> {
  const timers = timersOf(new Machine(`storage of ${machine.name}`, machine.skew_ms));
  const persistence = await mikroOrmPersistence({
    ...options,
    ...ports,
    clock: timersOf(machine),
    timers,
    copies_log_in_thread: false,
  });
  machine.onDeath(() => void persistence.close());
  return persistence;
}

/** What opens a connection, for which time stands still: it takes turns of its own. */
class Opening {
  readonly #works = new Set<Promise<unknown>>();

  async during<Result>(work: Promise<Result>): Promise<Result> {
    this.#works.add(work);
    return await work.finally(() => this.#works.delete(work));
  }

  async ended(): Promise<void> {
    while (this.#works.size > 0) {
      await Promise.all(this.#works);
      await new Promise((resolve) => void setImmediate(resolve));
    }
  }
}

/** Statements of better-sqlite3 are synchronous: only opening a file takes turns of its own. */
async function onSqlite(): Promise<WorldStorage> {
  const { database_url, dispose } = await migratedDatabase('sqlite');
  const database = new Database(database_url.slice('sqlite:'.length), { readonly: true });
  const rows = new StateOfRows();
  const opening = new Opening();
  let version: unknown = null;

  async function refresh(): Promise<void> {
    const before = version;
    version = database.pragma('data_version', { simple: true });
    if (version === before) return;
    database.exec('begin');
    await rows.read(async (table) => database.prepare<[], never>(`select * from ${table}`).all());
    database.exec('commit');
  }

  return {
    database_url,
    open: (machine, ports) => opening.during(openOn(machine, ports, { database_url })),
    get committed() {
      return rows.state;
    },
    async settled() {
      await opening.ended();
      await refresh();
    },
    async close() {
      database.close();
      await dispose();
    },
  };
}

const bigint_oid = 20;

/** Answers come when they come, so two runs of a seed differ. */
async function onPostgres(): Promise<WorldStorage> {
  const { database_url, dispose } = await migratedDatabase('postgres');
  const types = {
    getTypeParser: (oid: number, format?: 'text' | 'binary') =>
      oid === bigint_oid ? Number : pg.types.getTypeParser(oid, format as never),
  };
  const client = new pg.Client({ connectionString: database_url, types: types as never });
  await client.connect();
  const rows = new StateOfRows();
  const answers = new DatabaseAnswers();
  const opening = new Opening();
  let ended = -1;

  async function refresh(): Promise<void> {
    if (ended === answers.ended) return;
    ended = answers.ended;
    await client.query('begin isolation level repeatable read read only');
    await rows.read(async (table) => (await client.query(`select * from ${table}`)).rows);
    await client.query('commit');
  }

  return {
    database_url,
    open: async (machine, ports) =>
      answers.counted(await opening.during(openOn(machine, ports, { database_url, connections_max: 6 }))),
    get committed() {
      return rows.state;
    },
    async settled() {
      await opening.ended();
      await answers.answered();
      await refresh();
    },
    async close() {
      await client.end();
      await dispose();
    },
  };
}
