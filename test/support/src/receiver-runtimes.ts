import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A runtime that receivers of webhooks use and that a machine may lack. */
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
