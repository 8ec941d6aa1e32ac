/**
 * `npm test`: every `*.test.ts` of packages, adapters, apps and test, on the databases and queues that can be had.
 *
 *     npm test -- [--full] [--require postgres] [--require redis] [--runs N] [--seed N] [--only TEXT] [--concurrency N]
 *
 * What could not be run is told at the end, in words that nobody overlooks; with `--require` it fails the run.
 */
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import {
  connectionsLeft,
  dropStaleDatabases,
  findChromium,
  findNode20,
  localPostgresProblem,
  localRedisProblem,
  postgres_url,
  redis_url,
  redisProblem,
  startLocalPostgres,
  startLocalRedis,
} from '@tallystick/test-support';

const folders = ['packages', 'adapters', 'apps', 'test'];
const stale_ms = 2 * 60 * 60 * 1000;
const required_names = ['postgres', 'redis'];
/** Connections to Postgres that the tests may have at once, and some to spare: another run may use the same server. */
const connections_wanted = 200;

const { values } = parseArgs({
  options: {
    full: { type: 'boolean', default: false },
    require: { type: 'string', multiple: true, default: [] },
    runs: { type: 'string' },
    seed: { type: 'string' },
    only: { type: 'string' },
    concurrency: { type: 'string', default: '2' },
  },
});
for (const name of values.require) {
  if (!required_names.includes(name)) throw new TypeError(`--require ${name}: postgres and redis can be required`);
}
/** What all random draws of this run begin from. */
const seed = Number(values.seed ?? randomInt(2 ** 31));
if (!Number.isSafeInteger(seed)) throw new TypeError(`--seed ${values.seed}: it must be an integer`);

const root = fileURLToPath(new URL('..', import.meta.url));
const found = globSync(
  folders.map((folder) => `${folder}/**/*.test.ts`),
  { cwd: root, exclude: (path) => /(^|\/)(node_modules|dist|data)$/.test(path) },
).sort();
const files = found.filter((file) => file.includes(values.only ?? ''));
if (files.length === 0) throw new Error(`no test file${values.only ? ` has "${values.only}" in its path` : ''}`);

const started_at = performance.now();
const postgres = await findPostgres();
const redis = await findRedis();
/** Tests of crashes end servers, so they start their own: a server that runs somewhere is not enough for them. */
const own_servers_problem = [localPostgresProblem(), localRedisProblem()].filter((one) => one !== null).join('; ');
const node_20 = findNode20();
const chromium = findChromium();
const left_out: string[] = [];
if (values.only !== undefined)
  left_out.push(`${found.length - files.length} test files without "${values.only}" in their path`);
if (postgres.problem !== null) left_out.push(`everything on Postgres: ${postgres.problem}`);
if (redis.problem !== null) left_out.push(`everything on Bull, the queue between processes: ${redis.problem}`);
if (own_servers_problem !== '') left_out.push(`crashes and restarts of Postgres and Redis: ${own_servers_problem}`);
if (node_20 === null) left_out.push('the package for receivers on Node 20: none was found; TEST_NODE_20 names one');
if (chromium === null) left_out.push('everything in a browser: no Chromium was found; TEST_CHROMIUM names one');
if (!values.full) left_out.push('the long runs of random sequences (npm test -- --full)');

let exit_code = 1;
const missing = missingRequirements();
for (const what of missing) console.error(what);
try {
  if (missing.length === 0) exit_code = await runTests();
} finally {
  await postgres.stop();
  await redis.stop();
}
if (missing.length === 0) report();
process.exit(exit_code);

/** A server that tests use, or why there is none. */
interface Found {
  readonly url: string;
  readonly how: 'running server' | 'started for this run' | '';
  readonly problem: string | null;
  /** Ends it if it was started for this run. */
  stop(): Promise<void>;
}

function running(url: string): Found {
  return { url, how: 'running server', problem: null, stop: async () => {} };
}

function absent(problem: string): Found {
  return { url: '', how: '', problem, stop: async () => {} };
}

/** One of our own for as long as the tests run; `away` tells why one is needed. */
async function started(away: string, start: () => Promise<Pick<Found, 'url' | 'stop'>>): Promise<Found> {
  try {
    const { url, stop } = await start();
    return { url, how: 'started for this run', problem: null, stop };
  } catch (error) {
    return absent(`${away}, and none could be started: ${(error as Error).message}`);
  }
}

/**
 * The running server when it was named or has room for us, else one of our own, else the running one all the same, else why there
 * is none.
 */
async function findPostgres(): Promise<Found> {
  const named = process.env.TEST_POSTGRES_URL !== undefined;
  const dropped = await dropStaleDatabases(stale_ms).catch((error: unknown) => error as Error);
  if (typeof dropped === 'number') {
    if (dropped > 0) console.log(`dropped ${dropped} databases that killed test runs had left`);
    if (named || (await connectionsLeft()) >= connections_wanted) return running(postgres_url);
    const own = await started('the running server takes too few connections', startLocalPostgres);
    return own.problem === null ? own : running(postgres_url);
  }
  const away = `no server answers at TEST_POSTGRES_URL (${dropped.message || 'connection refused'})`;
  return named ? absent(away) : await started(away, startLocalPostgres);
}

/** The running server, else one of our own, else why there is none. */
async function findRedis(): Promise<Found> {
  const problem = await redisProblem();
  if (problem === null) return running(redis_url);
  const away = `no server answers at TEST_REDIS_URL (${problem})`;
  return process.env.TEST_REDIS_URL === undefined ? await started(away, startLocalRedis) : absent(away);
}

function missingRequirements(): string[] {
  const missing: string[] = [];
  const missed = (name: string, problem: string | null): void => {
    if (problem !== null && values.require.includes(name)) missing.push(`${name} is required: ${problem}`);
  };
  missed('postgres', postgres.problem ?? localPostgresProblem());
  missed('redis', redis.problem ?? localRedisProblem());
  return missing;
}

async function runTests(): Promise<number> {
  const child = spawn(
    process.execPath,
    ['--conditions=source', '--test', `--test-concurrency=${values.concurrency}`, '--test-reporter=spec', ...files],
    {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: {
        // Many tests start the server or a command: what they compile is kept from one process to the next.
        NODE_COMPILE_CACHE: join(tmpdir(), 'tallystick-compile-cache'),
        ...process.env,
        TALLYSTICK_TEST_DATABASES: postgres.problem === null ? 'sqlite,postgres' : 'sqlite',
        ...(postgres.problem === null ? { TEST_POSTGRES_URL: postgres.url } : {}),
        ...(redis.problem === null ? { TEST_REDIS_URL: redis.url } : { TALLYSTICK_TEST_REDIS: 'none' }),
        ...(own_servers_problem === '' ? {} : { TALLYSTICK_TEST_OWN_SERVERS: 'none' }),
        ...(node_20 === null ? { TALLYSTICK_TEST_NODE_20: 'none' } : {}),
        ...(chromium === null ? { TALLYSTICK_TEST_BROWSER: 'none' } : {}),
        ...(values.full ? { TALLYSTICK_TEST_FULL: '1' } : {}),
        ...(values.runs === undefined ? {} : { TALLYSTICK_TEST_RUNS: values.runs }),
        TALLYSTICK_TEST_SEED: String(seed),
      },
    },
  );
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}

function report(): void {
  const seconds = ((performance.now() - started_at) / 1000).toFixed(1);
  const databases = postgres.problem === null ? `SQLite and Postgres (${postgres.how})` : 'SQLite only';
  const queues = redis.problem === null ? `Bull (${redis.how})` : 'no Bull';
  console.log(
    `\nRan ${files.length} test files on ${databases}, with ${queues}, in ${seconds} s, the ${values.full ? 'long' : 'short'} run.`,
  );
  console.log(`Random draws began from seed ${seed}: npm test -- --seed ${seed} draws the same again.`);
  for (const what of left_out) console.log(`NOT RUN: ${what}`);
  console.log(exit_code === 0 ? 'All tests passed.' : 'SOME TESTS FAILED.');
}
