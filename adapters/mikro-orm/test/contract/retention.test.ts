import { it } from 'node:test';
import {
  casesOf,
  type RetentionStorage,
  reduced_records_contract,
  retention_store_contract,
} from '@tallystick/harness';
import { testAuditMac } from '@tallystick/test-support';
import type { Persistence } from '../../src/index.ts';
import { noon_ms, onEveryDatabase } from './fixture.ts';

onEveryDatabase('the contract of RetentionStore', (fixture) => {
  const inProcess = ({ event_index, ...persistence }: Persistence): RetentionStorage => ({
    ...persistence,
    now_ms: noon_ms,
    audit_mac: testAuditMac,
    another: async () => inProcess(await fixture().another()),
    doLaterWork: () => event_index.run(),
  });
  const rules = [...retention_store_contract, ...reduced_records_contract];
  for (const { name, run } of casesOf(rules, async () => inProcess(fixture().persistence))) it(name, run);
});
