import { describe, it } from 'node:test';
import { openStorage, storage_suites } from './storage-suites.ts';

for (const [port, rules] of Object.entries(storage_suites)) {
  describe(`${port} in memory`, () => {
    for (const { rule, check } of rules) it(rule, () => check(() => openStorage()));
  });
}
