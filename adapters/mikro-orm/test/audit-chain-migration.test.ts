import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sealAuditLog, unhashed_accepted_ms, verifyAuditLog } from '@tallystick/kernel';
import { changeRows, scratchDatabases, testAuditMac } from '@tallystick/test-support';
import { connect } from '../src/connection/connection.ts';
import { openPersistence } from './contract/fixture.ts';

const mac = testAuditMac;

test('entries from before the chain, and of servers of the version before, are sealed and proved', async (t) => {
  for (const database of await scratchDatabases()) {
    t.after(() => database.dispose());
    await t.test(database.name, async () => {
      const connection = await connect(database);
      try {
        await connection.orm.migrator.up({ to: '0021-profile-of-import' });
      } finally {
        await connection.close();
      }
      /** As a server of the version before writes an entry. */
      const writeAsBefore = (object: string) =>
        changeRows(
          database,
          `insert into audit_entries (company_id, actor, action, "object", request_id, details, at_ms)
             values (1, 'key:1', 'thing.made', '${object}', null, '{"a":1}', 5)`,
        );
      for (const object of ['one', 'two', 'three']) await writeAsBefore(object);
      const persistence = await openPersistence(database);
      const { unitOfWork } = persistence;
      try {
        await persistence.migrate();
        let machine_ms = 1_000;
        const check = async () => {
          await sealAuditLog({ unitOfWork, mac, machineNow: () => machine_ms });
          const { checked, finding } = await verifyAuditLog({ unitOfWork, mac });
          return [checked, finding?.kind ?? null];
        };
        assert.deepEqual(await check(), [3, null]);
        const entry = { company_id: 1, actor: 'a', action: 'b', object: 'c', request_id: null, details: {} };
        await unitOfWork.run((tx) => tx.audit.record(entry, 6));
        await writeAsBefore('four');
        assert.deepEqual(await check(), [5, null], 'an older server beside');
        await changeRows(database, `update audit_entries set actor = 'key:2' where "object" = 'two'`);
        assert.deepEqual(await check(), [1, 'changed'], 'an old entry that is changed now');
        await changeRows(database, `update audit_entries set actor = 'key:1' where "object" = 'two'`);
        machine_ms += unhashed_accepted_ms;
        await writeAsBefore('five');
        assert.deepEqual(await check(), [5, 'inserted'], 'after the time for that');
      } finally {
        await persistence.close();
      }
    });
  }
});

test('a new installation accepts no entry without a hash', async (t) => {
  for (const database of await scratchDatabases()) {
    t.after(() => database.dispose());
    await t.test(database.name, async () => {
      const persistence = await openPersistence(database);
      const { unitOfWork } = persistence;
      try {
        await persistence.migrate();
        await changeRows(
          database,
          `insert into audit_entries (actor, action, "object", details, at_ms) values ('key:1', 'a', 'b', '{}', 5)`,
        );
        await sealAuditLog({ unitOfWork, mac, machineNow: () => 0 });
        const { finding } = await verifyAuditLog({ unitOfWork, mac });
        assert.deepEqual([finding?.kind, finding?.id], ['inserted', 1]);
      } finally {
        await persistence.close();
      }
    });
  }
});
