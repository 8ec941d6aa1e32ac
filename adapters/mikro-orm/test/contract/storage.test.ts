import { after, before, describe, it } from 'node:test';
import {
  type ContractRule,
  card_store_contract,
  eventStoreContract,
  ledger_contract,
  real_card_store_contract,
  type StorageUnderTest,
  template_store_contract,
  unit_of_work_contract,
} from '@tallystick/harness';
import { database_names, propertyParameters, type ScratchDatabase, scratchDatabase } from '@tallystick/test-support';
import { connect } from '../../src/connection/connection.ts';
import { event_segment_bits } from '../../src/schema/event-segments.ts';
import { noon_ms, openPersistence } from './fixture.ts';

const suites: Readonly<Record<string, readonly ContractRule<StorageUnderTest>[]>> = {
  'unit of work': unit_of_work_contract,
  cards: card_store_contract,
  'real cards': real_card_store_contract,
  templates: template_store_contract,
  events: eventStoreContract(propertyParameters({ short: 25, full: 150 })),
  ledger: ledger_contract,
};

for (const name of database_names) {
  for (const [port, rules] of Object.entries(suites)) {
    describe(`${port} on ${name}`, () => {
      const open: StorageUnderTest[] = [];
      let database: ScratchDatabase;
      let segment = 3;

      async function another(): Promise<StorageUnderTest> {
        const { unitOfWork, ledger, close } = await openPersistence(database);
        const storage = { unitOfWork, ledger, close, now_ms: noon_ms, another, beforeAppend };
        open.push(storage);
        return storage;
      }

      /** Half of the events come to stand before the border between two segments, and half behind it. */
      async function beforeAppend(count: number): Promise<void> {
        segment += 1 + (segment % 3);
        await jumpTo(database, segment * 2 ** event_segment_bits[name] - Math.ceil(count / 2));
      }

      before(async () => {
        database = await scratchDatabase(name);
        const persistence = await openPersistence(database);
        await persistence.migrate();
        await persistence.close();
        await another();
      });
      after(async () => {
        for (const storage of open) await storage.close();
        await database.dispose();
      });

      for (const { rule, check } of rules) it(rule, () => check(async () => open[0]!));
    });
  }
}

/** Makes the next event's id this one, as if the log were as long. */
async function jumpTo(database: ScratchDatabase, id: number): Promise<void> {
  const connection = await connect(database);
  const insert = `insert into events (id, company_id, event_type, created_at_ms, payload) values (${id - 1}, 999, 'x', 0, '{}')`;
  if (connection.dialect === 'sqlite') await connection.exclusively((client) => client.exec(insert));
  else await connection.pool.query(`${insert}; select setval('events_id_seq', ${id - 1})`);
  await connection.close();
}
