import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixedClock } from '@tallystick/kernel';
import { changeRows, scratchDatabases, testAuditMac } from '@tallystick/test-support';
import { connect } from '../src/connection/connection.ts';
import { mikroOrmPersistence } from '../src/index.ts';

test('stored answers of idempotency keys survive the move of claims to machine time, and open claims can be taken or completed', async (t) => {
  for (const database of await scratchDatabases()) {
    t.after(() => database.dispose());
    await t.test(database.name, async () => {
      const connection = await connect(database);
      try {
        await connection.orm.migrator.up({ to: '0006-delivery-rounds' });
      } finally {
        await connection.close();
      }
      const bytes = (hex: string) => (database.name === 'postgres' ? `'\\x${hex}'` : `x'${hex}'`);
      for (const [key, answer] of [
        ['answered', bytes('42')],
        ['taken', 'null'],
        ['completed', 'null'],
      ] as const) {
        await changeRows(
          database,
          `insert into idempotency_records (scope, "key", token, request_sha256, claimed_at_ms, lease_ms, answer_sealed)
           values ('17', '${key}', 'old', ${bytes('01')}, 1000, 60000, ${answer})`,
        );
      }
      const clock = fixedClock('2030-03-15T10:00:00Z');
      const persistence = await mikroOrmPersistence({
        audit_mac: testAuditMac,
        database_url: database.database_url,
        clock,
      });
      try {
        await persistence.migrate();
        const request = { scope: '17', token: 'new', request_sha256: Buffer.from('01', 'hex'), now_ms: 2000 };
        const lease = { keep_ms: 86_400_000, machine_ms: 1, lease_until_machine_ms: 60_001 };
        await persistence.unitOfWork.run(async ({ idempotency }) => {
          const answered = await idempotency.claim({ ...request, ...lease, key: 'answered' });
          assert.equal(answered.kind === 'answered' && Buffer.from(answered.answer).toString('hex'), '42');
          assert.equal((await idempotency.claim({ ...request, ...lease, key: 'taken' })).kind, 'claimed');
          await idempotency.complete({ scope: '17', key: 'completed', token: 'old' }, new Uint8Array([7]));
        });
      } finally {
        await persistence.close();
      }
    });
  }
});
