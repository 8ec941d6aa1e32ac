import assert from 'node:assert/strict';
import { it } from 'node:test';
import { listAccounts } from '@tallystick/accounts';
import { fixedClock, machine_timers } from '@tallystick/kernel';
import { mikroOrmPersistence } from '@tallystick/mikro-orm';
import { changeRows, database_names, migratedDatabase, testAuditMac } from '@tallystick/test-support';
import { openSandbox } from '../../src/sandbox/sandbox.ts';
import { createSharedClock } from '../../src/sandbox/shared-clock.ts';

for (const name of database_names) {
  it(`a sandbox has its two accounts once, also one that an earlier version created, on ${name}`, async (t) => {
    const scratch = await migratedDatabase(name);
    t.after(() => scratch.dispose());
    const persistence = await mikroOrmPersistence({
      audit_mac: testAuditMac,
      database_url: scratch.database_url,
      clock: machine_timers,
    });
    t.after(() => persistence.close());
    await persistence.migrate();
    const open = () =>
      openSandbox(persistence, createSharedClock(fixedClock('2030-01-31T12:00:00Z')), async () => null);
    const accounts = async () => {
      const { items } = await persistence.unitOfWork.read((tx) => listAccounts(tx, {}, { limit: 10 }));
      return items.map(({ number, kind, currency, company_id }) => [number, kind, currency, company_id]);
    };

    const [{ company_id }] = await Promise.all([open(), open()]);
    const expected = [
      ['ceid2000000001', 'card', 'USD', company_id],
      ['1000000001', 'deposit', 'USD', company_id],
    ];
    assert.deepEqual(await accounts(), expected);
    await changeRows(scratch, 'delete from tallystick_accounts');
    assert.equal((await open()).company_id, company_id);
    assert.deepEqual(await accounts(), expected);
  });
}
