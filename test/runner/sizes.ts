import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A part of the tests that `npm test` leaves to `.ci/run`, because a commit rarely breaks it alone. */
export interface LeftPart {
  /** For the report. */
  readonly what: string;
  readonly files: RegExp;
}

/**
 * What the short run leaves to the full run. With `--only`, these files run in the short run too.
 * Each pattern must match a file that no earlier one matches.
 */
export const left_to_full_run: readonly LeftPart[] = [
  {
    what: 'processes that are killed, servers that are stopped',
    files:
      /^test\/(end-to-end\/(.*crash|break-events|stalled-postgres)|mail\/(crash|server)|embedding\/(.*-crash|host-transaction-property)|webhooks\/(chaos|no-worker|restored-copy))\.test/,
  },
  {
    what: 'races and locks between processes',
    files:
      /^(adapters\/mikro-orm\/test\/(.*-races|give-way|.*-lock-wait|stalled-postgres|order-of-arrival|relay-order)|packages\/reconciliation\/test\/acts\/races|test\/end-to-end\/(races|imports-beside|imports-order|sqlite-.*|authorisation-.*|rotation)|test\/open-banking\/authorisation-nodes|test\/webhooks\/many-processes)\.test/,
  },
  {
    what: 'large files and databases',
    files:
      /^(test\/event-loop\/longest-turn|test\/end-to-end\/(.*-answers|sample-files|strangers|account-range)|packages\/imports\/test\/statements\/continuation|test\/bench\/event-pages|test\/model\/retention|apps\/embedded\/test\/background\/retention|test\/model\/planted-faults|packages\/samples\/test\/sample-statements|adapters\/mikro-orm\/test\/(bounded-reads|card-search|lookup-plans))\.test/,
  },
  {
    what: 'the server and its commands as processes, deployments and upgrades',
    files:
      /^(apps\/server\/test\/(client-certificates|commands|delivery-queue|guides|npm-start|open-banking-guide|server|third-parties|deployment\/.*|upgrade\/.*|devtools\/(listen|purchase)|mirrored-purchases|overload|log-output)|apps\/embedded\/test\/command-line\/migrate|apps\/importer\/test\/(csv-profile|stop|import-.*|imports-guide|reconcile|sample-files|statement-key)|test\/end-to-end\/(secrets|audit-verify)|test\/webhooks\/(card-numbers.*|envelope|schedule)|adapters\/mikro-orm\/test\/(checkpoints|database-file))\.test/,
  },
  {
    what: 'the contracts of stores on a database (npm test runs them in memory)',
    files: /^adapters\/mikro-orm\/test\/contract\/(bank|cards|ledger|reconciliation|retention|work)\.test/,
  },
  { what: 'pages in a browser', files: /^test\/browser\/(?!reference)/ },
  { what: 'generated clients', files: /^test\/clients\// },
  {
    what: 'the hosts of an embedded interface',
    files:
      /^test\/embedding\/(hosts|host-transaction|few-connections|host-handle-misuse|growth|guide|guide\/.*|mounting.*|instances|inversify|many-subscriptions|own-port)\.test/,
  },
  {
    what: 'the conformance of Open Banking',
    files: /^test\/open-banking\/(conformance\/.*|bodies|conventions|bad-input|bank-consents|consent-retention)\.test/,
  },
  {
    what: 'HTTP: all texts, limits and views of operators',
    files: /^test\/http\/(unicode|sum-limit|overload|oversight|imports|mails|reconciliation-acts)\.test/,
  },
];

export function leftToFullRun(path: string): boolean {
  return left_to_full_run.some(({ files }) => files.test(path));
}

/** Returns the parts of which there are files, with their number. */
export function leftParts(paths: readonly string[]): readonly { readonly what: string; readonly count: number }[] {
  return left_to_full_run
    .map(({ what, files }) => ({ what, count: paths.filter((path) => files.test(path)).length }))
    .filter(({ count }) => count > 0);
}

/** A file that draws fewer random values in the short run, or has a smaller load. */
const depends_on_size = /\b(propertyParameters|testRuns)\(|\bfull_run\b/;

/** Returns the sentence about the files that draw fewer random values than in the full run, by folder. */
export function fewDrawsText(root: string, paths: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const path of paths) {
    if (!depends_on_size.test(readFileSync(join(root, path), 'utf8'))) continue;
    const folder = path.split('/').slice(0, 2).join('/');
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  if (counts.size === 0) return '';
  const folders = [...counts].map(([folder, count]) => `${folder} (${count})`);
  return `FEWER random values than --full, by number of files: ${folders.join(', ')}.`;
}
