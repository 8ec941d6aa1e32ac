import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folders = ['packages', 'adapters', 'apps', 'test'];

/**
 * Files that share one process, by the name of the group: each of their tests takes less time than
 * the start of a process. `together/` has a file for each group.
 */
const groups: Readonly<Record<string, RegExp>> = {
  packages: /^packages\//,
  'mikro-orm': /^adapters\/mikro-orm\//,
  http: /^test\/http\//,
  'open-banking': /^test\/open-banking\//,
  adapters: /^adapters\/(clearing-files|embedded-queue|koa|mail|memory|oidc|statement-files|vault|webhook-client)\//,
  server: /^apps\/server\/test\/(background|configuration|devtools|sandbox)\//,
};

/** A file that takes as long, seconds, has a process of its own beside the others. */
const alone_from_s = 15;

/**
 * A hook outside of every suite runs for the tests of all files in the process, so a file with such
 * a hook has a separate process.
 */
const hook_of_the_process = /^(before|after)(Each)?\(/m;

/**
 * Files that take the longest in the long run, in seconds on a machine with two cores. They begin
 * first, so that none of them is left for one process at the end.
 */
export const longest_s: Readonly<Record<string, number>> = {
  'test/end-to-end/break-events.test.ts': 95,
  'test/end-to-end/statements-crash.test.ts': 90,
  'apps/server/test/commands.test.ts': 85,
  'adapters/mikro-orm/test/contract/reconciliation.test.ts': 80,
  'test/end-to-end/imports-crash.test.ts': 75,
  'test/webhooks/chaos.test.ts': 70,
  'apps/server/test/server.test.ts': 70,
  'test/model/retention.test.ts': 65,
  'test/model/model.test.ts': 60,
  'test/browser/pages.test.ts': 60,
  'test/end-to-end/imports-beside.test.ts': 50,
  'apps/server/test/deployment/dockerfile.test.ts': 40,
  'test/embedding/subscriptions-crash.test.ts': 45,
  'test/bench/event-pages.test.ts': 35,
  'test/end-to-end/crash.test.ts': 35,
  'test/end-to-end/imports-order.test.ts': 30,
  'adapters/mikro-orm/test/contract/work.test.ts': 30,
  'test/end-to-end/imports-answers.test.ts': 30,
  'apps/server/test/upgrade/rolling-upgrade.test.ts': 30,
  'test/end-to-end/rotation.test.ts': 30,
  'test/embedding/hosts.test.ts': 30,
  'test/end-to-end/races.test.ts': 25,
  'test/webhooks/many-processes.test.ts': 25,
  'test/mail/server.test.ts': 24,
  'test/clients/clients.test.ts': 20,
  'apps/embedded/test/background/retention.test.ts': 20,
  'test/end-to-end/strangers.test.ts': 20,
  'packages/reconciliation/test/acts/races.test.ts': 20,
  'packages/reconciliation/test/acts/sequences.test.ts': 20,
  'packages/imports/test/statements/continuation.test.ts': 20,
  'adapters/clearing-files/test/mutations.test.ts': 15,
  'apps/server/test/third-parties.test.ts': 15,
  'test/end-to-end/sqlite-lock.test.ts': 15,
  'apps/server/test/npm-start.test.ts': 15,
  'adapters/mikro-orm/test/order-of-arrival.test.ts': 15,
  'adapters/mikro-orm/test/give-way.test.ts': 15,
  'adapters/mikro-orm/test/rematch-races.test.ts': 15,
  'test/webhooks/card-numbers.test.ts': 15,
  'test/webhooks/no-worker.test.ts': 14,
  'apps/importer/test/stop.test.ts': 12,
  'apps/importer/test/import-statements.test.ts': 12,
  'apps/importer/test/import-command.test.ts': 12,
  'adapters/mikro-orm/test/card-search.test.ts': 12,
  'test/open-banking/bodies.test.ts': 12,
  'test/open-banking/conventions.test.ts': 12,
  'adapters/mikro-orm/test/ledger-lock-wait.test.ts': 11,
  'adapters/mikro-orm/test/subscription-races.test.ts': 8,
  'test/embedding/guide.test.ts': 8,
  'test/http/unicode.test.ts': 10,
  'test/http/sum-limit.test.ts': 10,
  'apps/server/test/devtools/listen.test.ts': 10,
  'test/open-banking/bank-consents.test.ts': 10,
  'test/open-banking/bad-input.test.ts': 10,
  'test/open-banking/conformance/account-information.test.ts': 9,
  'test/embedding/own-port.test.ts': 8,
  'adapters/vault/test/contract.test.ts': 8,
  'test/end-to-end/sqlite-file.test.ts': 8,
  'test/end-to-end/sample-files.test.ts': 8,
  'test/end-to-end/secrets.test.ts': 8,
  'test/mail/crash.test.ts': 8,
  'test/webhooks/schedule.test.ts': 8,
  'test/webhooks/card-numbers-in-names.test.ts': 8,
  'test/open-banking/conformance/funds-confirmation.test.ts': 7,
  'adapters/bull/test/bull-queue.test.ts': 7,
  'test/mail/sending.test.ts': 7,
  'adapters/mikro-orm/test/contract/events.test.ts': 7,
  'adapters/mikro-orm/test/contract/ledger.test.ts': 7,
  'test/embedding/inversify.test.ts': 6,
  'apps/server/test/open-banking-guide.test.ts': 6,
  'adapters/clearing-files/test/csv/round-trip.test.ts': 6,
  'adapters/clearing-files/test/cdf3/round-trip.test.ts': 6,
};

/** The files of a run. Paths are relative to the root, with forward slashes. */
export interface TestFiles {
  /** Every `*.test.ts` of the project. */
  readonly all: readonly string[];
  /** The files of this run, the longest first. */
  readonly chosen: readonly string[];
  /** The chosen files that share a process, by the name of the group. */
  readonly together: Readonly<Record<string, readonly string[]>>;
  /** The chosen files that have a process each. */
  readonly alone: readonly string[];
}

/**
 * Returns the test files under `root` with one of the texts in their path; without texts, all of
 * them.
 */
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
  const together: Record<string, readonly string[]> = {};
  for (const [name, member] of Object.entries(groups)) {
    const its = chosen.filter((path) => member.test(path) && mayShare(root, path));
    if (its.length > 1) together[name] = its;
  }
  const shared = new Set(Object.values(together).flat());
  return { all, chosen, together, alone: chosen.filter((path) => !shared.has(path)) };
}

function mayShare(root: string, path: string): boolean {
  return (longest_s[path] ?? 0) < alone_from_s && !hook_of_the_process.test(readFileSync(join(root, path), 'utf8'));
}
