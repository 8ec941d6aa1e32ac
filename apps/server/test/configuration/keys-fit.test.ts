import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { fixedClock } from '@tallystick/kernel';
import { mikroOrmPersistence } from '@tallystick/mikro-orm';
import { database_names, scratchDatabase, testAuditMac } from '@tallystick/test-support';
import { createKeyRingText, createVault, parseKeyRing } from '@tallystick/vault';
import { assertKeysFit, WrongKeys } from 'tallystick/inversify';
import { readConfig } from '../../src/configuration/config.ts';
import { describeStartProblem } from '../../src/start-problem.ts';

const freshRing = () => parseKeyRing(createKeyRingText());

for (const name of database_names) {
  describe(`the keys of a database without cards, ${name}`, async () => {
    const scratch = await scratchDatabase(name);
    const open = () =>
      mikroOrmPersistence({
        audit_mac: testAuditMac,
        database_url: scratch.database_url,
        clock: fixedClock('2030-01-01T00:00:00Z'),
      });
    const persistence = await open();
    await persistence.migrate();
    after(async () => {
      await persistence?.close();
      await scratch?.dispose();
    });

    it('are those of the process that started first', async () => {
      const rings = [freshRing(), freshRing(), freshRing(), freshRing()];
      const others = await Promise.all(rings.map(open));
      const starts = await Promise.allSettled(
        rings.map((ring, at) => assertKeysFit(others[at]!.unitOfWork, createVault(ring))),
      );
      await Promise.all(others.map((other) => other.close()));
      const won = starts.findIndex(({ status }) => status === 'fulfilled');
      assert.equal(starts.filter(({ status }) => status === 'fulfilled').length, 1);
      for (const [at, start] of starts.entries()) {
        if (at !== won) assert.ok(start.status === 'rejected' && start.reason instanceof WrongKeys);
      }
      const again = () => assertKeysFit(persistence.unitOfWork, createVault(rings[won]!));
      await again();

      const rotated = createVault(rings[won]!.withNewKey());
      await assertKeysFit(persistence.unitOfWork, rotated);
      const { index_fingerprint } = createVault(freshRing());
      await assert.rejects(
        assertKeysFit(persistence.unitOfWork, { ...rotated, index_fingerprint }),
        (error: unknown) => {
          const message = describeStartProblem(error, readConfig({}));
          assert.match(
            message,
            /keys do not fit the database: .*fingerprint.*Use the key ring that was last used with it/,
          );
          return error instanceof WrongKeys && message.includes(index_fingerprint);
        },
      );
      await again();
    });
  });
}
