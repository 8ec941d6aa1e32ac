import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixedClock } from '@tallystick/kernel';
import { changeRows, scratchDatabases, testAuditMac } from '@tallystick/test-support';
import { connect } from '../src/connection/connection.ts';
import { mikroOrmPersistence } from '../src/index.ts';

test('events that wait in the outbox when it gets positions are relayed in the order of their ids', async (t) => {
  for (const database of await scratchDatabases()) {
    t.after(() => database.dispose());
    await t.test(database.name, async () => {
      const connection = await connect(database);
      try {
        await connection.orm.migrator.up({ to: '0008-mails-page' });
      } finally {
        await connection.close();
      }
      for (const id of [3, 1, 2, 4]) {
        await changeRows(
          database,
          `insert into events (id, company_id, event_type, created_at_ms, payload) values (${id}, 7, 'type ${id}', 0, '{}')`,
        );
        if (id < 4) await changeRows(database, `insert into event_outbox (event_id) values (${id})`);
      }
      const clock = fixedClock('2030-03-15T10:00:00Z');
      const persistence = await mikroOrmPersistence({
        audit_mac: testAuditMac,
        database_url: database.database_url,
        clock,
      });
      try {
        await persistence.migrate();
        const taken = await persistence.unitOfWork.run(({ outbox }) => outbox.take(9));
        assert.deepEqual(
          taken.events,
          [1, 2, 3].map((id) => ({ id, company_id: 7, event_type: `type ${id}` })),
        );
      } finally {
        await persistence.close();
      }
    });
  }
});
