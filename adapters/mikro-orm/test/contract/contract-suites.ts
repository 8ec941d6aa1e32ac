import { it } from 'node:test';
import type { ContractRule, StorageOfSettings } from '@tallystick/harness';
import type { StatementKeySetting } from '@tallystick/reconciliation';
import type { Persistence } from '../../src/index.ts';
import { noon_ms, onEveryDatabase } from './fixture.ts';

/**
 * Runs each contract suite of storage on every database, each on a separate database, which
 * `prepare` may change before it is migrated.
 */
export function keepsContracts(
  suites: Readonly<Record<string, readonly ContractRule<StorageOfSettings>[]>>,
  prepare?: Parameters<typeof onEveryDatabase>[2],
): void {
  for (const [port, rules] of Object.entries(suites)) {
    onEveryDatabase(
      `the contract of ${port}`,
      (fixture) => {
        function asStorage({ unitOfWork, ledger, event_index, close }: Persistence): StorageOfSettings {
          const another = async () => asStorage(await fixture().another());
          const withStatementKey = async (setting: StatementKeySetting) => asStorage(await fixture().another(setting));
          const doLaterWork = () => event_index.run();
          return { unitOfWork, ledger, close, now_ms: noon_ms, another, withStatementKey, doLaterWork };
        }

        for (const { rule, check } of rules) it(rule, () => check(async () => asStorage(fixture().persistence)));
      },
      prepare,
    );
  }
}
