import { it } from 'node:test';
import type { ContractRule, StorageUnderTest } from '@tallystick/harness';
import { connect } from '../../src/connection/connection.ts';
import type { Persistence } from '../../src/index.ts';
import { event_segment_bits } from '../../src/schema/event-segments.ts';
import { type Fixture, noon_ms, onEveryDatabase } from './fixture.ts';

/** Runs each contract suite of storage on every database, each on a separate database. */
export function keepsContracts(suites: Readonly<Record<string, readonly ContractRule<StorageUnderTest>[]>>): void {
  for (const [port, rules] of Object.entries(suites)) {
    onEveryDatabase(`the contract of ${port}`, (fixture) => {
      let segment = 3;

      function asStorage({ unitOfWork, ledger, close }: Persistence): StorageUnderTest {
        const another = async () => asStorage(await fixture().another());
        return { unitOfWork, ledger, close, now_ms: noon_ms, another, beforeAppend };
      }

      /** Places half of the events before the border between two segments, and half after it. */
      async function beforeAppend(count: number): Promise<void> {
        segment += 1 + (segment % 3);
        const border = segment * 2 ** event_segment_bits[fixture().name];
        await jumpTo(fixture(), border - Math.ceil(count / 2));
      }

      for (const { rule, check } of rules) it(rule, () => check(async () => asStorage(fixture().persistence)));
    });
  }
}

/** Sets the id of the next event, as if the log were that long. */
async function jumpTo({ database }: Fixture, id: number): Promise<void> {
  const connection = await connect(database);
  const insert = `insert into events (id, company_id, event_type, created_at_ms, payload) values (${id - 1}, 999, 'x', 0, '{}')`;
  if (connection.dialect === 'sqlite') await connection.exclusively((client) => client.exec(insert));
  else await connection.pool.query(`${insert}; select setval('events_id_seq', ${id - 1})`);
  await connection.close();
}
