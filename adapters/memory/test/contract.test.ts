import { describe, it } from 'node:test';
import { ledger_bounds } from '@tallystick/harness';
import { openStorage, storage_suites } from './storage-suites.ts';

for (const [port, rules] of Object.entries(storage_suites)) {
  describe(`${port} in memory`, () => {
    for (const { rule, check } of rules) it(rule, () => check(() => openStorage()));
  });
}

describe('what a pass in memory does not load', () => {
  for (const { rule, check } of ledger_bounds) it(rule, () => check(() => openStorage()));
});
