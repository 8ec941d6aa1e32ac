import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folders = ['packages', 'adapters', 'apps', 'test'];

/**
 * Files that only compute: a test takes less time than the start of a process, so they share one.
 */
const computing = /^packages\//;

/**
 * A hook outside of every suite runs for the tests of all files in the process: a file with one has
 * a process of its own.
 */
const hook_of_the_process = /^(before|after)(Each)?\(/m;

/**
 * Files that take the longest, most of it in waiting, in seconds on a machine of two cores. They
 * begin first, so that no process is left with one of them at the end.
 */
export const longest_s: Readonly<Record<string, number>> = {
  'test/webhooks/chaos.test.ts': 70,
  'apps/server/test/server.test.ts': 24,
  'apps/server/test/commands.test.ts': 15,
  'test/browser/pages.test.ts': 15,
  'test/model/model.test.ts': 15,
  'test/webhooks/no-worker.test.ts': 14,
  'test/clients/clients.test.ts': 10,
  'adapters/mikro-orm/test/ledger-lock-wait.test.ts': 11,
  'test/mail/server.test.ts': 10,
  'apps/server/test/devtools/listen.test.ts': 10,
  'test/webhooks/schedule.test.ts': 8,
  'adapters/bull/test/bull-queue.test.ts': 7,
  'test/mail/sending.test.ts': 7,
};

/** Which files a run has. Paths are relative to the root, with forward slashes. */
export interface TestFiles {
  /** Every `*.test.ts` of the project. */
  readonly all: readonly string[];
  /** Those of this run, the longest first. */
  readonly chosen: readonly string[];
  /** Those of the chosen that share one process. */
  readonly together: readonly string[];
  /** Those of the chosen that have a process each. */
  readonly alone: readonly string[];
}

/** The test files under `root` with one of the texts in their path; with no texts, all of them. */
export function testFiles(root: string, only: readonly string[]): TestFiles {
  const all = globSync(
    folders.map((folder) => `${folder}/**/*.test.ts`),
    { cwd: root, exclude: (path) => /(^|\/)(node_modules|dist|data)$/.test(path) },
  )
    .map((path) => path.replaceAll('\\', '/'))
    .sort();
  const chosen = all
    .filter((path) => only.length === 0 || only.some((text) => path.includes(text)))
    .toSorted((a, b) => (longest_s[b] ?? 0) - (longest_s[a] ?? 0));
  const together = chosen.filter((path) => {
    return computing.test(path) && !hook_of_the_process.test(readFileSync(join(root, path), 'utf8'));
  });
  if (together.length < 2) return { all, chosen, together: [], alone: chosen };
  return { all, chosen, together, alone: chosen.filter((path) => !together.includes(path)) };
}
