import { accessSync, constants } from 'node:fs';

/**
 * Whether the tests run that open pages in Chromium. Always, unless the test runner found that the machine has none and said
 * so (it sets `TALLYSTICK_TEST_CHROMIUM=none`): a test file run by itself on such a machine fails, it does not pass by.
 */
export const chromium_expected: boolean = process.env.TALLYSTICK_TEST_CHROMIUM !== 'none';

const standard_paths = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** The Chromium or Chrome of this machine: the one at `TEST_CHROMIUM`, or the first in the standard places; null if none. */
export function chromiumPath(): string | null {
  const { TEST_CHROMIUM: named } = process.env;
  return (named === undefined ? standard_paths : [named]).find(isExecutable) ?? null;
}

/** Why no page can be opened; null when it can. */
export function chromiumProblem(): string | null {
  if (chromiumPath() !== null) return null;
  const { TEST_CHROMIUM: named } = process.env;
  return named === undefined
    ? `there is no Chromium at ${standard_paths.join(', ')}; TEST_CHROMIUM names another place`
    : `TEST_CHROMIUM is ${named}, where nothing can be executed`;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
