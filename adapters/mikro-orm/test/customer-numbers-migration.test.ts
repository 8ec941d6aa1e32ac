import assert from 'node:assert/strict';
import { test } from 'node:test';
import { companyRow } from '@tallystick/harness';
import { fixedClock, Refusal } from '@tallystick/kernel';
import { scratchDatabases, testAuditMac } from '@tallystick/test-support';
import { sql } from 'kysely';
import { connect } from '../src/connection/connection.ts';
import type { Tables } from '../src/connection/session.ts';
import { mikroOrmPersistence } from '../src/index.ts';

test('companies that share a customer number keep it, and no other company gets it', async (t) => {
  for (const database of await scratchDatabases()) {
    t.after(() => database.dispose());
    await t.test(database.name, async () => {
      const connection = await connect({ database_url: database.database_url });
      const insert = (name: string, customer_number: string) =>
        sql`insert into companies (name, customer_number, created_at_ms) values (${name}, ${customer_number}, 5)`.execute(
          connection.orm.em.getKysely<Tables>(),
        );
      const persistence = await mikroOrmPersistence({
        audit_mac: testAuditMac,
        database_url: database.database_url,
        clock: fixedClock('2030-03-15T10:00:00Z'),
      });
      try {
        await connection.orm.migrator.up({ to: '0014-outbox-positions' });
        for (const name of ['first', 'second', 'third']) await insert(name, '4711');
        await insert('alone', '4712');
        await persistence.migrate();

        const { items } = await persistence.unitOfWork.read((tx) => tx.companies.list({ limit: 10 }));
        assert.deepEqual(
          items.map(({ name, customer_number, status }) => [name, customer_number, status]),
          [
            ['alone', '4712', 'active'],
            ['third', '4711', 'active'],
            ['second', '4711', 'active'],
            ['first', '4711', 'active'],
          ],
        );
        for (const customer_number of ['4711', '4712']) {
          const again = persistence.unitOfWork.run((tx) => tx.companies.insert(companyRow({ customer_number })));
          await assert.rejects(again, (error) => error instanceof Refusal && error.code === 'validation_failed');
        }
        // A node of the version before inserts without the new columns.
        await insert('by an old node', '4713');
        await assert.rejects(insert('by an old node', '4713'));
        const newest = await persistence.unitOfWork.read((tx) => tx.companies.list({ limit: 1 }));
        assert.deepEqual(
          newest.items.map(({ customer_number, status }) => [customer_number, status]),
          [['4713', 'active']],
        );
      } finally {
        await persistence.close();
        await connection.close();
      }
    });
  }
});
