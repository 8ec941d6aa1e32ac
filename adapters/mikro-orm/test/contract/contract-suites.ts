import { it } from 'node:test';
import { type ContractRule, casesOf, type StorageUnderTest } from '@tallystick/harness';
import { full_run } from '@tallystick/test-support';
import type { Persistence } from '../../src/index.ts';
import { noon_ms, onEveryDatabase, schema_beside_a_host } from './fixture.ts';

/** The contracts that the short run also checks in a schema on Postgres, beside the tables of a host. */
const in_short_run: ReadonlySet<string> = new Set(['CardStore', 'EventStore']);

/** Those that the long run also checks there, where no statement differs: what has locks and triggers. */
const in_full_run: ReadonlySet<string> = new Set([
  'Ledger, and clearings that are matched again',
  'ImportStore',
  'UnitOfWork',
  'BankStore',
  'ReconciliationStore',
]);

type OptionsOfSuites = [Parameters<typeof onEveryDatabase>[2], Parameters<typeof onEveryDatabase>[3]?];

/**
 * Runs each contract suite of storage on every database, each on a separate database, which
 * `prepare` may change before it is migrated.
 */
export function keepsContracts(
  suites: Readonly<Record<string, readonly ContractRule<StorageUnderTest>[]>>,
  prepare?: Parameters<typeof onEveryDatabase>[2],
): void {
  for (const [port, rules] of Object.entries(suites)) {
    keepsContract(port, rules, prepare);
    if (prepare !== undefined) continue;
    if (in_short_run.has(port) || (full_run && in_full_run.has(port))) {
      keepsContract(port, rules, undefined, schema_beside_a_host);
    }
  }
}

function keepsContract(
  port: string,
  rules: readonly ContractRule<StorageUnderTest>[],
  ...others: OptionsOfSuites
): void {
  onEveryDatabase(
    `the contract of ${port}`,
    (fixture) => {
      function asStorage({ unitOfWork, ledger, event_index, close }: Persistence): StorageUnderTest {
        const another = async () => asStorage(await fixture().another());
        const doLaterWork = () => event_index.run();
        return { unitOfWork, ledger, close, now_ms: noon_ms, another, doLaterWork };
      }

      for (const { name, run } of casesOf(rules, async () => asStorage(fixture().persistence))) it(name, run);
    },
    ...others,
  );
}
