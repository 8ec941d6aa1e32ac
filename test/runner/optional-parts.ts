import {
  connectionsLeft,
  dropStaleDatabases,
  findChromium,
  findRuntime,
  installGenerators,
  localPostgresProblem,
  localRedisProblem,
  postgres_url,
  receiver_runtimes,
  redis_url,
  redisProblem,
  startLocalPostgres,
  startLocalRedis,
} from '@tallystick/test-support';

/** Age from which a scratch database is one that a killed run left behind. */
const stale_ms = 2 * 60 * 60 * 1000;

/**
 * Connections to Postgres that the tests may have at once, and some to spare: another run may use
 * the same server.
 */
const connections_wanted = 200;

/** What a part of the tests needs beyond Node, found or not. */
export interface Found {
  /** Null: the tests can use it. Else why they cannot. */
  readonly problem: string | null;
  /** For the report: `running server`. */
  readonly how: string;
  /** What test processes need to know. */
  readonly environment: Readonly<Record<string, string>>;
  /** Ends what was started for this run. */
  stop(): Promise<void>;
}

/** What a run asks for. A part that takes long to get is only got when it is asked for. */
export interface Asked {
  /** The long run. */
  readonly full: boolean;
  /** The names that `--require` gives. */
  readonly required: readonly string[];
  /** The paths of the test files. */
  readonly files: readonly string[];
}

/** Something that some tests need and that a machine may lack. */
export interface OptionalPart {
  /** As `--require` takes it. */
  readonly name: string;
  /** What is left out without it: `everything on Postgres`. */
  readonly tests: string;
  /** Finds it or starts it. Never rejects: what goes wrong is the problem. */
  find(asked: Asked): Promise<Found>;
  /** What else `--require` asks for; null when it is there. */
  readonly requirement?: () => string | null;
}

/**
 * All optional parts. A new one is one entry here: `--require`, `--help`, the environment of the
 * tests and the list of what did not run follow from it. Its variables belong in docs/testing.md.
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
  ...receiver_runtimes.map((runtime) => ({
    name: runtime.name,
    tests: `the package for receivers on ${runtime.name}`,
    find: async () => findProgram(findRuntime(runtime), runtime.path_variable, { [runtime.absent_variable]: 'none' }),
  })),
  {
    name: 'chromium',
    tests: 'everything in a browser',
    find: async () => findProgram(findChromium(), 'TEST_CHROMIUM', { TALLYSTICK_TEST_CHROMIUM: 'none' }),
  },
  { name: 'clients', tests: 'clients that are generated from the OpenAPI document', find: findGenerators },
];

function found(how: string, environment: Found['environment'], stop: Found['stop'] = async () => {}): Found {
  return { problem: null, how, environment, stop };
}

function absent(problem: string, environment: Found['environment']): Found {
  return { problem, how: '', environment, stop: async () => {} };
}

/**
 * Finds the running server if it was named or has room for the tests. Otherwise starts one. If none
 * can be started, it uses the running one although it has little room.
 */
async function findPostgres(): Promise<Found> {
  const at = (url: string) => ({ TALLYSTICK_TEST_DATABASES: 'sqlite,postgres', TEST_POSTGRES_URL: url });
  const without = { TALLYSTICK_TEST_DATABASES: 'sqlite' };
  const running = found('running server', at(postgres_url));
  const named = process.env.TEST_POSTGRES_URL !== undefined;
  const dropped = await dropStaleDatabases(stale_ms).catch((error: unknown) => error as Error);
  if (typeof dropped === 'number') {
    if (dropped > 0) console.log(`dropped ${dropped} databases that killed test runs had left`);
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

/** Tests of crashes start servers, because they also end them. */
function findOwnServers(): Found {
  const problems = [localPostgresProblem(), localRedisProblem()].filter((problem) => problem !== null);
  if (problems.length === 0) return found("this machine's binaries", {});
  return absent(problems.join('; '), { TALLYSTICK_TEST_OWN_SERVERS: 'none' });
}

/** A program at a path that tests start; `variable` can name another one. */
function findProgram(path: string | null, variable: string, without: Found['environment']): Found {
  if (path === null) return absent(`none was found; ${variable} can name one`, without);
  return found(path, {});
}

/** Installs the generators of clients for the long run, when they are required, and when only their tests run. */
async function findGenerators({ full, required, files }: Asked): Promise<Found> {
  const asked = full || required.includes('clients') || files.every((file) => file.startsWith('test/clients/'));
  const problem = asked
    ? await installGenerators()
    : 'the long run installs the generators, and so does --require clients';
  return problem === null ? found('test/clients', {}) : absent(problem, { TALLYSTICK_TEST_CLIENTS: 'none' });
}
