import { execFile, execFileSync } from 'node:child_process';
import { accessSync, constants, existsSync, globSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A runtime that receivers of webhooks or tests use, and that a machine may lack. */
export interface ReceiverRuntime {
  /** As `--require` of the test runner takes it. */
  readonly name: string;
  /** The environment variable with the path of its program. */
  readonly path_variable: string;
  /** `none` in this variable: the test runner found no such runtime and reported it. */
  readonly absent_variable: string;
  readonly program: string;
  /** The start of the output of `--version`. */
  readonly version: RegExp;
}

export const receiver_runtimes: readonly ReceiverRuntime[] = [
  {
    name: 'node-20',
    path_variable: 'TEST_NODE_20',
    absent_variable: 'TALLYSTICK_TEST_NODE_20',
    program: 'node',
    version: /^v20\./,
  },
  {
    name: 'deno',
    path_variable: 'TEST_DENO',
    absent_variable: 'TALLYSTICK_TEST_DENO',
    program: 'deno',
    version: /^deno \d/,
  },
  {
    name: 'bun',
    path_variable: 'TEST_BUN',
    absent_variable: 'TALLYSTICK_TEST_BUN',
    program: 'bun',
    version: /^\d/,
  },
];

/** The Python of the example server that the harness drives over HTTP. */
export const python: ReceiverRuntime = {
  name: 'python',
  path_variable: 'TEST_PYTHON',
  absent_variable: 'TALLYSTICK_TEST_PYTHON',
  program: 'python3',
  version: /^Python 3\.(9|\d\d)\./,
};

/**
 * Whether the tests on the runtime run. They run unless the test runner found none on this machine
 * and reported it. A test file that is run alone on such a machine fails.
 */
export function isExpected({ absent_variable }: ReceiverRuntime): boolean {
  return process.env[absent_variable] !== 'none';
}

/**
 * The path of the runtime, or null. Looks at its environment variable, else at the folders of
 * `PATH` and at those where systems install programs.
 */
export function findRuntime({ path_variable, program, version }: ReceiverRuntime): string | null {
  const named = process.env[path_variable];
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/local/bin', '/usr/bin'];
  const candidates = named === undefined ? [...new Set(folders)].map((folder) => join(folder, program)) : [named];
  return candidates.find((path) => existsSync(path) && version.test(versionOf(path))) ?? null;
}

function versionOf(path: string): string {
  try {
    return execFileSync(path, ['--version'], { encoding: 'utf8', env: {}, stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return ''; // built for another machine, or a script that needs an environment
  }
}

/**
 * Whether the tests that need a browser run. They run unless the test runner found no Chromium on
 * this machine and reported it. A test file that is run alone on such a machine fails.
 */
export const chromium_expected: boolean = process.env.TALLYSTICK_TEST_CHROMIUM !== 'none';

const standard_paths = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/**
 * The path of a Chromium or Chrome: `TEST_CHROMIUM`, or the first at a standard path; null if none.
 */
export function findChromium(): string | null {
  const { TEST_CHROMIUM: named } = process.env;
  return (named === undefined ? standard_paths : [named]).find(isExecutable) ?? null;
}

/**
 * Whether the tests with Authlib run: unless the test runner found no Python with it, and said so.
 */
export const authlib_expected: boolean = process.env.TALLYSTICK_TEST_AUTHLIB !== 'none';

/**
 * The path of a Python that has Authlib and requests: `TEST_AUTHLIB_PYTHON`, or a `python3` in the
 * folders of `PATH` or of the system; null if none.
 */
export function findAuthlibPython(): string | null {
  const { TEST_AUTHLIB_PYTHON: named, PATH = '' } = process.env;
  const folders = [...PATH.split(delimiter), '/usr/local/bin', '/usr/bin'];
  const candidates = named === undefined ? [...new Set(folders)].map((folder) => join(folder, 'python3')) : [named];
  const hasAuthlib = (path: string): boolean => {
    try {
      execFileSync(path, ['-c', 'import authlib, requests'], { env: {}, stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  };
  return candidates.find((path) => existsSync(path) && hasAuthlib(path)) ?? null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const tests = fileURLToPath(new URL('../../', import.meta.url));

/** How long the installation may take. */
const install_ms_max = 300_000;

/** Installs the generators in `test/clients` if necessary. Resolves to why that failed, or to null. */
export async function installGenerators(): Promise<string | null> {
  return await installIn('clients');
}

/**
 * Installs Node 24 in `test/node-24` if necessary, and returns its path. Rejects when that fails.
 */
export async function installNode24(): Promise<string> {
  const problem = await installIn('node-24');
  if (problem !== null) throw new Error(problem);
  const [path] = globSync(join(tests, 'node-24', 'node_modules', 'node-*', 'bin', 'node{,.exe}'));
  if (path === undefined) throw new Error(`test/node-24 has no Node for ${process.platform} ${process.arch}`);
  return path;
}

async function installIn(name: string): Promise<string | null> {
  const folder = join(tests, name);
  const installed = join(folder, 'node_modules', '.package-lock.json');
  const lock = join(folder, 'package-lock.json');
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return null;
  return await new Promise((resolve) => {
    const words = ['ci', '--no-audit', '--no-fund'];
    execFile('npm', words, { cwd: folder, timeout: install_ms_max }, (error, _out, err) => {
      if (error === null) return resolve(null);
      const why = error.killed ? `it took longer than ${install_ms_max / 60_000} min` : err.trim().split('\n').at(-1);
      resolve(`npm ci in test/${name} failed: ${why || error.message}`);
    });
  });
}

/** Whether the generators are installed for this run. */
export const generators_expected = process.env.TALLYSTICK_TEST_CLIENTS !== 'none';
