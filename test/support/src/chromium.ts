import { accessSync, constants } from 'node:fs';

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

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
