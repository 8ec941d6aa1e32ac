import { describe, it } from 'node:test';
import {
  ledger_bounds,
  type RetentionStorage,
  reduced_records_contract,
  retention_store_contract,
} from '@tallystick/harness';
import { fixedClock } from '@tallystick/kernel';
import { testAuditMac } from '@tallystick/test-support';
import { memoryPersistence } from '../src/index.ts';
import { openStorage, storage_suites } from './storage-suites.ts';

for (const [port, rules] of Object.entries(storage_suites)) {
  describe(`${port} in memory`, () => {
    for (const { rule, check } of rules) it(rule, () => check(() => openStorage()));
  });
}

describe('what a pass in memory does not load', () => {
  for (const { rule, check } of ledger_bounds) it(rule, () => check(() => openStorage()));
});

const now_ms = Date.UTC(2026, 4, 20, 12);

async function openRetention(): Promise<RetentionStorage> {
  const persistence = memoryPersistence({
    clock: fixedClock(now_ms),
    audit_mac: testAuditMac,
  });
  const storage: RetentionStorage = { ...persistence, now_ms, audit_mac: testAuditMac, another: async () => storage };
  return storage;
}

describe('RetentionStore in memory', () => {
  for (const { rule, check } of [...retention_store_contract, ...reduced_records_contract]) {
    it(rule, () => check(openRetention));
  }
});
