import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixedClock } from '@tallystick/kernel';
import { scratchDatabases, testAuditMac } from '@tallystick/test-support';
import { sql } from 'kysely';
import { connect } from '../src/connection/connection.ts';
import type { Tables } from '../src/connection/session.ts';
import { mikroOrmPersistence } from '../src/index.ts';

test('mails queued before they could be sent become one pending mail per address', async (t) => {
  for (const database of await scratchDatabases()) {
    t.after(() => database.dispose());
    await t.test(database.name, async () => {
      const connection = await connect({ database_url: database.database_url });
      try {
        await connection.orm.migrator.up({ to: '0004-installation' });
        const db = connection.orm.em.getKysely<Tables>();
        await sql`insert into companies (name, customer_number, created_at_ms) values ('Acme', '1', 5)`.execute(db);
        for (const [card_id, recipients] of [
          [7, ['a@example.com', 'b@example.com']],
          [8, ['c@example.com']],
        ] as const) {
          await sql`insert into mails (company_id, card_id, kind, recipients, created_at_ms)
            values (1, ${card_id}, 'card_details', ${JSON.stringify(recipients)}, 1000)`.execute(db);
        }
      } finally {
        await connection.close();
      }
      const clock = fixedClock('2030-03-15T10:00:00Z');
      const persistence = await mikroOrmPersistence({
        audit_mac: testAuditMac,
        database_url: database.database_url,
        clock,
      });
      try {
        await persistence.migrate();
        const lease = { token: 'x', machine_ms: 0, until_machine_ms: 1 };
        const turns = { limit: 10, per_company_max: 10, after_company_id: 0 };
        const claimed = await persistence.unitOfWork.run((tx) => tx.mails.claimDue(1000, lease, turns));
        assert.deepEqual(
          claimed.map(({ mail, full_details }) => [mail.card_id, mail.recipient, mail.state, full_details]),
          [
            [7, 'a@example.com', 'pending', false],
            [7, 'b@example.com', 'pending', false],
            [8, 'c@example.com', 'pending', false],
          ],
        );
        assert.equal((await persistence.unitOfWork.read((tx) => tx.companies.find(1)))?.full_details_in_mail, false);
      } finally {
        await persistence.close();
      }
    });
  }
});

test('the mail migrations create the tables that the entities describe', async (t) => {
  for (const database of await scratchDatabases()) {
    t.after(() => database.dispose());
    await t.test(database.name, async () => {
      const connection = await connect({ database_url: database.database_url });
      try {
        await connection.orm.migrator.up();
        const difference = await connection.orm.schema.getUpdateSchemaSQL({ safe: false });
        const of_mail = difference
          .split('\n')
          .filter((line) => /mails|one_time_links|mailbox_messages|full_details_in_mail/.test(line));
        assert.deepEqual(of_mail, []);
      } finally {
        await connection.close();
      }
    });
  }
});
