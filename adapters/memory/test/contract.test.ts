import { describe, it } from 'node:test';
import {
  casesOf,
  ledger_bounds,
  type RetentionStorage,
  reduced_records_contract,
  retention_store_contract,
  type StorageUnderTest,
} from '@tallystick/harness';
import { fixedClock } from '@tallystick/kernel';
import { testAuditMac } from '@tallystick/test-support';
import { memoryPersistence } from '../src/index.ts';
import { openStorage, storage_suites } from './storage-suites.ts';

for (const [port, rules] of Object.entries(storage_suites)) {
  describe(`${port} in memory`, () => {
    for (const { name, run } of casesOf<StorageUnderTest>(rules, openStorage)) it(name, run);
  });
}

describe('what a pass in memory does not load', () => {
  for (const { name, run } of casesOf(ledger_bounds, openStorage)) it(name, run);
});

const now_ms = Date.UTC(2026, 4, 20, 12);

async function openRetention(): Promise<RetentionStorage> {
  const clock = fixedClock(now_ms);
  return { ...memoryPersistence({ clock, audit_mac: testAuditMac }), now_ms, audit_mac: testAuditMac };
}

describe('RetentionStore in memory', () => {
  const rules = [...retention_store_contract, ...reduced_records_contract];
  for (const { name, run } of casesOf(rules, openRetention)) it(name, run);
});
