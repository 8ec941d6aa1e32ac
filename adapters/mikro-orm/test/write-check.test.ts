import assert from 'node:assert/strict';
import { it } from 'node:test';
import { fixedClock } from '@tallystick/kernel';
import { changeRows, database_names, migratedDatabase, postgres_url, testAuditMac } from '@tallystick/test-support';
import { mikroOrmPersistence } from '../src/index.ts';

const skip = database_names.includes('postgres') ? false : 'there is no Postgres';

it('a ping finds that Postgres only reads, although nothing was written before', { skip }, async (t) => {
  const database = await migratedDatabase('postgres');
  t.after(() => database.dispose());
  const name = new URL(database.database_url).pathname.slice(1);
  await changeRows(
    { name: 'postgres', database_url: postgres_url },
    `alter database ${name} set default_transaction_read_only = on`,
  );
  const persistence = await mikroOrmPersistence({
    audit_mac: testAuditMac,
    clock: fixedClock('2030-01-01T00:00:00Z'),
    database_url: database.database_url,
  });
  t.after(() => persistence.close());
  for (let asked = 0; asked < 2; asked += 1) {
    await assert.rejects(persistence.ping(), /^Fault: the database failed: it only reads, as a standby does \(25006\)/);
  }
});
