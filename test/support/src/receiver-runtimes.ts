import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * Whether the tests run that need a Node 20 or a Chromium. Always, unless the test runner found
 * that the machine has none and said so: a test file run by itself on such a machine fails.
 */
export const node_20_expected: boolean = process.env.TALLYSTICK_TEST_NODE_20 !== 'none';
export const browser_expected: boolean = process.env.TALLYSTICK_TEST_BROWSER !== 'none';

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

const chromium_paths = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The path of a Chromium that runs without a window, or null. `TEST_CHROMIUM` names one. */
export function findChromium(): string | null {
  const named = process.env.TEST_CHROMIUM;
  return (named === undefined ? chromium_paths : [named]).find((path) => existsSync(path)) ?? null;
}
