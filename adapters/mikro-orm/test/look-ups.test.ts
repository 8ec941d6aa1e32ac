import assert from 'node:assert/strict';
import { it } from 'node:test';
import { fixedClock } from '@tallystick/kernel';
import { database_names, scratchDatabase, testAuditMac } from '@tallystick/test-support';
import { mikroOrmPersistence } from '../src/index.ts';

for (const name of database_names) {
  it(`a look-up of a decision does not wait for other reads, on ${name}`, async () => {
    const database = await scratchDatabase(name);
    const persistence = await mikroOrmPersistence({
      audit_mac: testAuditMac,
      ...database,
      clock: fixedClock('2030-01-01T00:00:00Z'),
      connections_max: 3,
    });
    await persistence.migrate();
    const ended = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const long = persistence.unitOfWork.read(async (tx) => {
      assert.equal(await tx.companies.find(1), null);
      begun.resolve();
      await ended.promise;
    });
    await begun.promise;
    let waited = true;
    const behind = persistence.unitOfWork.read(async (tx) => {
      await tx.companies.find(1);
      waited = false;
    });
    assert.equal(await persistence.look_ups.read((tx) => tx.api_keys.find(1)), null);
    await persistence.ping();
    assert(waited, 'another read waits');
    ended.resolve();
    await Promise.all([long, behind]);
    await persistence.close();
    await database.dispose();
  });
}
