import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * Whether the tests that need a Node 20 run. Always, unless the test runner found none on this
 * machine and said so: a test file that runs by itself on such a machine fails.
 */
export const node_20_expected: boolean = process.env.TALLYSTICK_TEST_NODE_20 !== 'none';

/**
 * The path of a Node 20, the oldest that packages for receivers run on, or null. Looks at
 * `TEST_NODE_20`, at the folders of `PATH` and at those where systems install Node.
 */
export function findNode20(): string | null {
  const named = process.env.TEST_NODE_20;
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/local/bin', '/usr/bin'];
  const candidates = named === undefined ? [...new Set(folders)].map((folder) => join(folder, 'node')) : [named];
  return candidates.find((path) => existsSync(path) && versionOf(path).startsWith('v20.')) ?? null;
}

function versionOf(path: string): string {
  try {
    return execFileSync(path, ['--version'], { encoding: 'utf8', env: {}, stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return ''; // built for another machine, or a script that needs an environment
  }
}
