import assert from 'node:assert/strict';
import { it } from 'node:test';
import { unit_of_work_contract } from '@tallystick/harness';
import { Fault, fixedClock } from '@tallystick/kernel';
import { database_names, readRows, scratchDatabase, testAuditMac } from '@tallystick/test-support';
import { mikroOrmPersistence } from '../../src/index.ts';
import { keepsContracts } from './contract-suites.ts';
import { makeCompany, noon_ms, onEveryDatabase, openPersistence } from './fixture.ts';

keepsContracts({ UnitOfWork: unit_of_work_contract });

onEveryDatabase('a unit of work', (fixture) => {
  it('that locks the rows that it reads runs only once', async () => {
    const processes = [fixture().persistence, await fixture().another(), await fixture().another()];
    let attempts = 0;
    const add = (at: number) =>
      processes[at % processes.length]!.unitOfWork.run(async (tx) => {
        attempts += 1;
        const { offset_ms } = await tx.sandbox_clock.read({ for_update: true });
        await tx.sandbox_clock.write({ offset_ms: offset_ms + 1, frozen_at_ms: null });
      });
    await Promise.all(Array.from({ length: 60 }, (_, at) => add(at)));
    assert.equal(attempts, 60);
  });

  it('runs the work again after a deadlock', async () => {
    const keys = await fixture().run(async (tx) => {
      const insert = (name: string) =>
        tx.api_keys.insert({
          company_id: null,
          role: 'network',
          environment: 'test',
          name,
          secret_sha256: new Uint8Array(32),
          signing_secret_sealed: new Uint8Array([1]),
          rate_limit_per_minute: null,
          created_at_ms: noon_ms,
          revoked_at_ms: null,
          expires_at_ms: null,
          last_used_at_ms: null,
        });
      return [await insert('one'), await insert('two')] as const;
    });
    const other = await fixture().another();
    let attempts = 0;
    let arrived = 0;
    // The second update of each waits until both have locked their first row. On SQLite the second
    // process must wait for the lock itself.
    const crossed = async (
      tx: Parameters<Parameters<typeof other.unitOfWork.run>[0]>[0],
      order: { first: number; second: number },
    ) => {
      attempts += 1;
      const { first, second } = order;
      // When the work runs again, it waits at the row of the other process, so the two do not cross
      // a second time.
      Object.assign(order, { first: second, second: first });
      await tx.api_keys.reseal(keys[first]!.id, new Uint8Array([2]));
      arrived += 1;
      const deadline = performance.now() + (fixture().name === 'postgres' ? 120_000 : 0);
      while (arrived < 2 && performance.now() < deadline) await new Promise((resolve) => setImmediate(resolve));
      await tx.api_keys.reseal(keys[second]!.id, new Uint8Array([2]));
    };
    const [one, two] = [
      { first: 0, second: 1 },
      { first: 1, second: 0 },
    ];
    await Promise.all([fixture().run((tx) => crossed(tx, one)), other.unitOfWork.run((tx) => crossed(tx, two))]);
    assert.equal(attempts, fixture().name === 'postgres' ? 3 : 2);
  });
});

if (database_names.includes('postgres')) {
  it('rejects with a fault when the database is gone', async () => {
    const database = await scratchDatabase('postgres');
    const persistence = await openPersistence(database);
    await persistence.migrate();
    await persistence.ping();
    await database.dispose();
    for (const work of [() => persistence.ping(), () => persistence.unitOfWork.run((tx) => makeCompany(tx))]) {
      await assert.rejects(work(), (error) => error instanceof Fault);
    }
    await persistence.close();
  });

  it('rejects with a retryable fault when its connection is ended during the work, and continues with another', async () => {
    const database = await scratchDatabase('postgres');
    const persistence = await openPersistence(database);
    await persistence.migrate();
    const lost = persistence.unitOfWork.run(async (tx) => {
      await makeCompany(tx, 'Lost');
      await readRows(
        database,
        `select pg_terminate_backend(pid, 60000) from pg_stat_activity
         where datname = current_database() and state = 'idle in transaction'`,
      );
      await makeCompany(tx, 'Never');
    });
    await assert.rejects(lost, (error) => error instanceof Fault && error.retryable);
    const after = await persistence.unitOfWork.run(async (tx) => {
      await makeCompany(tx, 'After');
      return (await tx.companies.list({ limit: 10 })).items.map(({ name }) => name);
    });
    assert.deepEqual(after, ['After']);
    await persistence.close();
    await database.dispose();
  });

  it('rejects with a retryable fault when no server listens', async () => {
    const persistence = await mikroOrmPersistence({
      audit_mac: testAuditMac,
      database_url: 'postgres://postgres@127.0.0.1:1/none',
      clock: fixedClock('2026-05-20T12:00:00Z'),
    });
    await assert.rejects(persistence.ping(), (error) => error instanceof Fault && error.retryable);
    await assert.rejects(persistence.migrate(), (error) => error instanceof Fault && error.retryable);
    await persistence.close();
  });
}
