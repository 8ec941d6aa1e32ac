import { describe, it } from 'node:test';
import {
  card_store_contract,
  eventStoreContract,
  ledger_contract,
  real_card_store_contract,
  type StorageUnderTest,
  template_store_contract,
  unit_of_work_contract,
} from '@tallystick/harness';
import { fixedClock } from '@tallystick/kernel';
import { propertyParameters } from '@tallystick/test-support';
import { memoryPersistence } from '../src/index.ts';

const now_ms = Date.UTC(2026, 4, 20, 12);

/** A storage of its own for each rule. */
async function open(): Promise<StorageUnderTest> {
  const persistence = memoryPersistence({ clock: fixedClock(Temporal.Instant.fromEpochMilliseconds(now_ms)) });
  const storage: StorageUnderTest = { ...persistence, now_ms, another: async () => storage };
  return storage;
}

for (const [port, rules] of Object.entries({
  'unit of work': unit_of_work_contract,
  cards: card_store_contract,
  'real cards': real_card_store_contract,
  templates: template_store_contract,
  events: eventStoreContract(propertyParameters({ short: 25, full: 150 })),
  ledger: ledger_contract,
})) {
  describe(`${port} in memory`, () => {
    for (const { rule, check } of rules) it(rule, () => check(open));
  });
}
