import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Fault, fixedClock, machine_timers, verifyAuditLog } from '@tallystick/kernel';
import { createMetrics } from '@tallystick/koa';
import { mikroOrmPersistence } from '@tallystick/mikro-orm';
import { changeRows, database_names, migratedDatabase, testAuditMac } from '@tallystick/test-support';
import { auditSealerJob } from '../../src/background/audit-chain.ts';

const clock = fixedClock('2030-03-15T10:00:00Z');
const now_ms = clock.nowMs();
const entry = {
  company_id: null,
  actor: 'command',
  action: 'a',
  object: 'o',
  request_id: null,
  source_address: null,
  details: {},
};

for (const name of database_names) {
  describe(`the sealer of the audit log, on ${name}`, () => {
    it('seals what waits, shows what waits, and fails on a head that was changed', async (t) => {
      const scratch = await migratedDatabase(name);
      t.after(() => scratch.dispose());
      const { database_url } = scratch;
      const persistence = await mikroOrmPersistence({ database_url, clock, audit_mac: testAuditMac });
      t.after(() => persistence.close());
      await persistence.migrate();
      const { unitOfWork } = persistence;
      const metrics = createMetrics({ process_metrics: false });
      const job = auditSealerJob({ persistence, audit_mac: testAuditMac, clock, timers: machine_timers, metrics });
      assert.ok(job.every_ms < 1_000, 'entries are sealed within a second');
      const waiting = async () => {
        const read = await metrics.read();
        return ['audit_entries_unsealed', 'audit_oldest_unsealed_age_seconds', 'audit_newest_number'].map((gauge) =>
          Number(new RegExp(`^tallystick_${gauge} (.*)$`, 'm').exec(read)?.[1]),
        );
      };

      await job.run();
      for (const age_ms of [5_000, 3_000]) await unitOfWork.run((tx) => tx.audit.record(entry, now_ms - age_ms));
      assert.deepEqual(await waiting(), [2, 5, 0]);
      await job.run();
      assert.deepEqual(await waiting(), [0, 0, 2]);
      const { checked, finding } = await verifyAuditLog({ unitOfWork, mac: testAuditMac });
      assert.deepEqual([checked, finding], [2, null]);

      await changeRows(scratch, 'update tallystick_audit_chain set number = 1');
      await job.run();
      await unitOfWork.run((tx) => tx.audit.record(entry, now_ms - 1_000));
      await assert.rejects(job.run(), (error) => error instanceof Fault && error.message.includes('audit_chain'));
      assert.deepEqual(await waiting(), [1, 1, 1]);
    });
  });
}
