import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventFilter } from '@tallystick/events';
import { fixedClock } from '@tallystick/kernel';
import { scratchDatabases, testAuditMac } from '@tallystick/test-support';
import { connect } from '../src/connection/connection.ts';
import { mikroOrmPersistence } from '../src/index.ts';
import { run } from './ledger-fixture.ts';

/** Two volumes and a part of the third. */
const events_before = 20_000;

/** Every hundredth event of company 7 has this merchant, the others have one of their own. */
const insertEvents = (name: 'sqlite' | 'postgres') => {
  const series =
    name === 'postgres'
      ? `generate_series(1, ${events_before}) as s (i)`
      : `(with recursive s (i) as (select 1 union all select i + 1 from s where i < ${events_before}) select i from s)`;
  return `insert into events (id, company_id, event_type, created_at_ms, billing_amount, merchant_name, payload)
    select i, 7, 'x', i, i - 10000, case when i % 100 = 0 then 'Café' else 'M' || i end, '{}' from ${series}`;
};

const filters: readonly { readonly filter: EventFilter; readonly isMet: (id: number) => boolean }[] = [
  { filter: { name: 'payload.merchant_name', kind: 'equals', value: 'Café' }, isMet: (id) => id % 100 === 0 },
  { filter: { name: 'payload.merchant_name', kind: 'equals', value: 'M4321' }, isMet: (id) => id === 4_321 },
  { filter: { name: 'payload.merchant_name', kind: 'equals', value: 'none' }, isMet: () => false },
  {
    filter: { name: 'payload.billing_amount', kind: 'range', from: -9_950, to: -9_900 },
    isMet: (id) => id >= 50 && id <= 100,
  },
  { filter: { name: 'created_at', kind: 'range', from: 19_990 }, isMet: (id) => id >= 19_990 },
];

test('searches find the events from before the filter index while they are copied, after it, and without the former indexes', async (t) => {
  for (const database of await scratchDatabases()) {
    t.after(() => database.dispose());
    await t.test(database.name, async () => {
      const connection = await connect(database);
      const persistence = await mikroOrmPersistence({
        audit_mac: testAuditMac,
        database_url: database.database_url,
        clock: fixedClock('2030-03-15T10:00:00Z'),
      });
      const sql = (text: string) => run(connection, text);
      const formerIndexes = async () =>
        database.name === 'sqlite'
          ? await sql(`select name from sqlite_schema where type = 'index' and name like 'events_by_%'`)
          : await sql(`select indexname from pg_indexes where indexname like 'events_by_%'`);

      async function assertFinds(when: string): Promise<void> {
        const newest = Number((await sql('select max(id) as id from events'))[0]!.id);
        for (const { filter, isMet } of filters) {
          const found: number[] = [];
          for (let after: string | null | undefined; after !== null; ) {
            const page = { limit: 100, ...(after === undefined ? {} : { after }) };
            const { items, next } = await persistence.unitOfWork.read((tx) => tx.events.list(7, [filter], page));
            found.push(...items.map(({ id }) => id));
            after = next;
          }
          const expected = Array.from({ length: events_before }, (_, at) => at + 1).filter(isMet);
          if (JSON.stringify(filter).includes('Café')) expected.push(...range(events_before + 1, newest));
          assert.deepEqual(found, expected.toReversed(), `${JSON.stringify(filter)} ${when}`);
        }
      }

      /** Appends events of the merchant, enough for the log to have full segments. */
      const append = () =>
        persistence.unitOfWork.run((tx) =>
          tx.events.append(
            Array.from({ length: 1_500 }, () => ({
              company_id: 7,
              event_type: 'x',
              payload: { merchant_name: 'Café' },
              previous: null,
              created_at_ms: 0,
              request_id: null,
            })),
          ),
        );

      try {
        await connection.orm.migrator.up({ to: '0012-authorization-keys' });
        await sql(insertEvents(database.name));
        if (database.name === 'postgres') await sql(`select setval('events_id_seq', ${events_before})`);
        await persistence.migrate();
        assert.equal((await formerIndexes()).length, 18);
        await assertFinds('before the first batch');
        await persistence.backfills.runBatches();
        await append();
        await persistence.event_index.run();
        await assertFinds('after the first batch');
        const isCopying = async () =>
          (await persistence.backfills.list()).some(({ name, state }) => name === 'event index' && state === 'copying');
        while (await isCopying()) await persistence.backfills.runBatches();
        await assertFinds('after the last batch');
        await sql('update backfills set copied_at_ms = copied_at_ms - 10000');
        assert.deepEqual(await persistence.backfills.runBatches(), []);
        assert.deepEqual(await formerIndexes(), []);
        await append();
        await persistence.event_index.run();
        await assertFinds('without the former indexes');
      } finally {
        await persistence.close();
        await connection.close();
      }
    });
  }
});

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, at) => from + at);
}
