import { chmodSync, existsSync, mkdtempSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import {
  clearingSamplesFolder,
  clearingSamplesMissing,
  connectionsLeft,
  dropStaleDatabases,
  findAuthlibPython,
  findChromium,
  findRuntime,
  installGenerators,
  localPostgresProblem,
  localRedisProblem,
  mountsProblem,
  openBankingDocumentsMissing,
  postgres_url,
  python,
  receiver_runtimes,
  redis_url,
  redisProblem,
  startExitCleanup,
  startLocalPostgres,
  startLocalRedis,
} from '@tallystick/test-support';
import type { Size } from './switches.ts';

/** The age from which a scratch database counts as left behind by a killed run. */
const stale_ms = 2 * 60 * 60 * 1000;

/**
 * The most Postgres connections that the tests have at the same time, with some to spare because
 * another run may use the same server.
 */
const connections_wanted = 200;

/** The result of the search for an optional part. */
export interface Found {
  /** Null when the tests can use it, otherwise why they cannot. */
  readonly problem: string | null;
  /** For the report, for example `running server`. */
  readonly how: string;
  /** The environment variables for the test processes. */
  readonly environment: Readonly<Record<string, string>>;
  /** Stops everything that was started for this run. */
  stop(): Promise<void>;
}

/** The requests of a run. A part that takes long to install is installed only on request. */
export interface Asked {
  readonly size: Size;
  /** The names after `--require`. */
  readonly required: readonly string[];
  /** The paths of the test files. */
  readonly files: readonly string[];
}

/** Something that some tests need and that a machine may lack. */
export interface OptionalPart {
  /** The name for `--require`. */
  readonly name: string;
  /** The tests that are left out without it: `everything on Postgres`. */
  readonly tests: string;
  /** Finds it or starts it. Never rejects: a failure is the problem of the result. */
  find(asked: Asked): Promise<Found>;
  /** Returns what else `--require` needs and is missing; null when nothing is. */
  readonly requirement?: () => string | null;
}

/**
 * All optional parts. Add a new one as one entry here: `--require`, `--help`, the environment of
 * the tests and the list of skipped tests follow from it. Document its variables in
 * docs/testing.md.
 */
export const optional_parts: readonly OptionalPart[] = [
  { name: 'postgres', tests: 'everything on Postgres', find: findPostgres, requirement: localPostgresProblem },
  {
    name: 'redis',
    tests: 'everything on Bull, the queue between processes',
    find: findRedis,
    requirement: localRedisProblem,
  },
  { name: 'own-servers', tests: 'crashes and restarts of Postgres and Redis', find: async () => findOwnServers() },
  {
    name: 'mounts',
    tests: 'full disks, and the file systems of a container',
    find: async () => findMounts(),
  },
  ...receiver_runtimes.map((runtime) => ({
    name: runtime.name,
    tests: `the package for receivers on ${runtime.name}`,
    find: async () => findProgram(findRuntime(runtime), runtime.path_variable, { [runtime.absent_variable]: 'none' }),
  })),
  {
    name: 'python',
    tests: 'a server in Python under the harness',
    find: async () => findProgram(findRuntime(python), python.path_variable, { [python.absent_variable]: 'none' }),
  },
  {
    name: 'chromium',
    tests: 'everything in a browser',
    find: async () => findProgram(findChromium(), 'TEST_CHROMIUM', { TALLYSTICK_TEST_CHROMIUM: 'none' }),
  },
  {
    name: 'authlib',
    tests: 'a third party on Authlib (Python: python3-authlib and python3-requests of Debian)',
    find: async () => findProgram(findAuthlibPython(), 'TEST_AUTHLIB_PYTHON', { TALLYSTICK_TEST_AUTHLIB: 'none' }),
  },
  { name: 'clients', tests: 'clients that are generated from the OpenAPI document', find: findGenerators },
  {
    name: 'clearing-samples',
    tests: 'the clearing files of other programs',
    find: async () => findClearingSamples(),
  },
  {
    name: 'open-banking-documents',
    tests: 'answers of Open Banking against the official documents',
    find: async () => findOpenBankingDocuments(),
  },
];

function found(how: string, environment: Found['environment'], stop: Found['stop'] = async () => {}): Found {
  return { problem: null, how, environment, stop };
}

function absent(problem: string, environment: Found['environment']): Found {
  return { problem, how: '', environment, stop: async () => {} };
}

/**
 * Finds the running server if it was named or has room for the tests. Otherwise starts one. If none
 * can be started, it uses the running one even if it has little room.
 */
async function findPostgres(): Promise<Found> {
  const at = (url: string) => ({ TALLYSTICK_TEST_DATABASES: 'sqlite,postgres', TEST_POSTGRES_URL: url });
  const without = { TALLYSTICK_TEST_DATABASES: 'sqlite' };
  const running = found('running server', at(postgres_url));
  const named = process.env.TEST_POSTGRES_URL !== undefined;
  const dropped = await dropStaleDatabases(stale_ms).catch((error: unknown) => error as Error);
  if (typeof dropped === 'number') {
    if (dropped > 0) console.log(`dropped ${dropped} databases that killed test runs left behind`);
    if (named || (await connectionsLeft()) >= connections_wanted) return running;
    return await startLocalPostgres().then(
      ({ url, stop }) => found('started for this run', at(url), stop),
      () => running,
    );
  }
  const away = `no server answers at TEST_POSTGRES_URL (${dropped.message || 'connection refused'})`;
  if (named) return absent(away, without);
  return await startLocalPostgres().then(
    ({ url, stop }) => found('started for this run', at(url), stop),
    (error: Error) => absent(`${away}, and none could be started: ${error.message}`, without),
  );
}

/** Finds the running server, or starts one. */
async function findRedis(): Promise<Found> {
  const at = (url: string) => ({ TEST_REDIS_URL: url });
  const without = { TALLYSTICK_TEST_REDIS: 'none' };
  const problem = await redisProblem();
  if (problem === null) return found('running server', at(redis_url));
  const away = `no server answers at TEST_REDIS_URL (${problem})`;
  if (process.env.TEST_REDIS_URL !== undefined) return absent(away, without);
  return await startLocalRedis().then(
    ({ url, stop }) => found('started for this run', at(url), stop),
    (error: Error) => absent(`${away}, and none could be started: ${error.message}`, without),
  );
}

/** Crash tests start servers, because they also end them. */
function findOwnServers(): Found {
  const problems = [localPostgresProblem(), localRedisProblem()].filter((problem) => problem !== null);
  if (problems.length === 0) return found("this machine's binaries", {});
  return absent(problems.join('; '), { TALLYSTICK_TEST_OWN_SERVERS: 'none' });
}

function findMounts(): Found {
  const problem = mountsProblem();
  return problem === null ? found('unshare', {}) : absent(problem, { TALLYSTICK_TEST_MOUNTS: 'none' });
}

/** Finds a program at a path that tests start; `variable` can name another path. */
function findProgram(path: string | null, variable: string, without: Found['environment']): Found {
  if (path === null) return absent(`none was found; ${variable} can name one`, without);
  return found(path, {});
}

/**
 * Installs the generators of clients for the full and the long run, when they are required, and when only their
 * tests run.
 */
async function findGenerators({ size, required, files }: Asked): Promise<Found> {
  const asked =
    size !== 'short' || required.includes('clients') || files.every((file) => file.startsWith('test/clients/'));
  const problem = asked ? await installGenerators() : '--full installs the generators, and so does --require clients';
  return problem === null ? found('test/clients', {}) : absent(problem, { TALLYSTICK_TEST_CLIENTS: 'none' });
}

/** The files are there, or not: nothing is fetched. */
function findClearingSamples(): Found {
  const missing = clearingSamplesMissing();
  return missing === false ? found(clearingSamplesFolder(), {}) : absent(missing, {});
}

function findOpenBankingDocuments(): Found {
  const missing = openBankingDocumentsMissing();
  return missing === false ? found('the official documents', {}) : absent(missing, {});
}

/** The databases of a long run need less. */
const free_bytes_min = 4 * 2 ** 30;

/**
 * Creates a folder in memory for the scratch databases of this run. It is removed when this process
 * has ended. Null when there is no room for it.
 */
export function createMemoryFolder(): string | null {
  const memory = findMemoryFolder();
  if (memory === null) return null;
  const folder = mkdtempSync(join(memory, 'tallystick-run-'));
  // Postgres runs as another user in a folder of its own below.
  chmodSync(folder, 0o711);
  startExitCleanup('rm -rf "$1"', folder);
  return folder;
}

/**
 * The folder in which Linux keeps files in memory, where a commit does not wait for a disk. Null
 * when there is none, or when it has too little room.
 */
export function findMemoryFolder(folder = '/dev/shm', bytes_min: number = free_bytes_min): string | null {
  if (!existsSync(folder)) return null;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize < bytes_min ? null : folder;
}
