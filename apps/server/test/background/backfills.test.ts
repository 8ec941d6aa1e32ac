import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { fixedClock } from '@tallystick/kernel';
import { mikroOrmPersistence, type Persistence } from '@tallystick/mikro-orm';
import { changeRows, scratchDatabase, serverEnvironment, testAuditMac } from '@tallystick/test-support';
import { backfillJob } from 'tallystick/inversify';
import { admin } from '../../src/admin/command-line.ts';

const count = 5_000;

/** A migrated database, and how to put the backfill of keys into a state while nothing is open. */
async function create(t: TestContext) {
  const database = await scratchDatabase('sqlite');
  t.after(() => database.dispose());
  const clock = fixedClock('2030-03-15T10:00:00Z');
  const use = async (work: (persistence: Persistence) => Promise<void>) => {
    const persistence = await mikroOrmPersistence({
      audit_mac: testAuditMac,
      database_url: database.database_url,
      clock,
    });
    try {
      await work(persistence);
    } finally {
      await persistence.close();
    }
  };
  await use((persistence) => persistence.migrate());
  const put = (state: string, copied_at_ms: number | null) =>
    changeRows(
      database,
      `update backfills set state = '${state}', checkpoint = 0, until = ${count}, copied_at_ms = ${copied_at_ms}
         where name = 'authorization-keys'`,
    );
  return { database, use, put };
}

describe('the rows that a migration left to copy', () => {
  it('are copied by a job of the server, which logs how many are copied and the time that is left', async (t) => {
    const { use, put } = await create(t);
    const lines: string[] = [];
    const logger = { info: (_fields: object, line?: string) => void lines.push(line ?? '') };
    await put('copying', null);
    await use(async ({ backfills }) => {
      const job = backfillJob(backfills, logger);
      while ((await backfills.list())[0]?.state === 'copying') await job.run();
    });
    assert.match(lines[0] ?? '', /^authorization-keys: \d,\d00 of 5,000 authorizations are copied, about \d+ s left$/);
    assert.equal(lines.length, 1, 'one line in 30 seconds');
    await put('copied', 0);
    await use(async ({ backfills }) => {
      await backfillJob(backfills, logger).run();
      assert.deepEqual(await backfills.list(), []);
    });
  });

  it('are shown by the command that migrates, and with --wait it resolves when none is left', async (t) => {
    const { database, put } = await create(t);
    const env = serverEnvironment({ database_url: database.database_url });
    const migrate = async (...words: string[]) => {
      const said: string[] = [];
      assert.equal(await admin(['migrate', ...words], env, { out: (text) => said.push(text), err: () => {} }), 0);
      return said.join('\n');
    };
    await put('copying', null);
    const shown = await migrate();
    assert.match(shown, /authorization-keys: 0 of 5,000 authorizations are copied\n.*--wait copies it now/);
    await put('copied', 0);
    assert.doesNotMatch(await migrate('--wait'), /authorization-keys/);
    assert.deepEqual(JSON.parse(await migrate('--json')).backfills, []);
  });
});
