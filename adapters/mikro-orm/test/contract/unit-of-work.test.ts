import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { it } from 'node:test';
import { Fault, fixedClock, Refusal, Violation } from '@tallystick/kernel';
import { database_names, readRows, scratchDatabase } from '@tallystick/test-support';
import { mikroOrmPersistence } from '../../src/index.ts';
import { makeCompany, noon_ms, onEveryDatabase, openPersistence } from './fixture.ts';

const mail = {
  company_id: 1,
  card_id: 1,
  kind: 'card_details',
  recipients: ['a@example.com'],
  created_at_ms: noon_ms,
} as const;

onEveryDatabase('a unit of work', (fixture) => {
  it('keeps all that it wrote when the work resolves', async () => {
    const company = await fixture().run((tx) => makeCompany(tx, 'Kept'));
    const found = await fixture().persistence.unitOfWork.read((tx) => tx.companies.find(company.id));
    assert.deepEqual(found, company);
  });

  it('keeps nothing when the work rejects, and passes a refusal and a violation through', async () => {
    for (const error of [new Refusal('not_found', 'no'), new Violation('bug')]) {
      let id = 0;
      await assert.rejects(
        fixture().run(async (tx) => {
          id = (await makeCompany(tx, 'Dropped')).id;
          throw error;
        }),
        (thrown) => thrown === error,
      );
      assert.equal(await fixture().run((tx) => tx.companies.find(id)), null);
    }
  });

  it('tells an error of the database as a fault that is not to be retried, without what was written', async () => {
    const unknown_company = fixture().run((tx) =>
      tx.api_keys.insert({
        company_id: 999_999,
        role: 'client',
        environment: 'test',
        name: 'secret-looking-name',
        secret_sha256: new Uint8Array(32),
        signing_secret_sealed: null,
        rate_limit_per_minute: null,
        created_at_ms: noon_ms,
        revoked_at_ms: null,
      }),
    );
    await assert.rejects(unknown_company, (error) => {
      assert(error instanceof Fault && !error.retryable, String(error));
      assert.doesNotMatch(error.message, /secret-looking-name|999999/);
      return true;
    });
  });

  it('goes on after a work that failed', async () => {
    await assert.rejects(
      fixture().run(async () => {
        throw new Refusal('not_found', 'no');
      }),
    );
    assert.equal((await fixture().run((tx) => makeCompany(tx, 'After'))).name, 'After');
  });

  it('refuses to be opened within another, on whichever of its ways', async () => {
    const { unitOfWork, ledger } = fixture().persistence;
    const pass = () => ledger.pass([], () => assert.fail('the fold was called'));
    for (const inner of [() => unitOfWork.run(async () => 1), () => unitOfWork.read(async () => 1), pass]) {
      await assert.rejects(unitOfWork.run(inner), Violation);
    }
  });

  it('cannot write when it said that it only reads', async () => {
    await assert.rejects(fixture().persistence.unitOfWork.read((tx) => tx.mails.queue(mail)));
    const state = { offset_ms: 5, frozen_at_ms: null };
    await assert.rejects(fixture().persistence.unitOfWork.read((tx) => tx.sandbox_clock.write(state)));
    assert.deepEqual(await fixture().run((tx) => tx.sandbox_clock.read()), { offset_ms: 0, frozen_at_ms: null });
  });

  it('that only reads sees one state of the database, whatever another process commits meanwhile', async () => {
    const other = await fixture().another();
    // As another process has it: not called from within the transaction.
    const elsewhere = AsyncLocalStorage.snapshot();
    await fixture().persistence.unitOfWork.read(async (tx) => {
      const before = await tx.companies.list({ limit: 100 });
      await elsewhere(() => other.unitOfWork.run((second) => makeCompany(second, 'Meanwhile')));
      assert.deepEqual(await tx.companies.list({ limit: 100 }), before);
    });
    const [newest] = (await fixture().run((tx) => tx.companies.list({ limit: 1 }))).items;
    assert.equal(newest?.name, 'Meanwhile');
  });

  it('loses no update of many processes that read, then write', async () => {
    const processes = [fixture().persistence, await fixture().another(), await fixture().another()];
    let attempts = 0;
    const add = (at: number) =>
      processes[at % processes.length]!.unitOfWork.run(async (tx) => {
        attempts += 1;
        const { offset_ms } = await tx.sandbox_clock.read({ for_update: true });
        await tx.sandbox_clock.write({ offset_ms: offset_ms + 1, frozen_at_ms: null });
      });
    await Promise.all(Array.from({ length: 60 }, (_, at) => add(at)));
    assert.equal((await fixture().run((tx) => tx.sandbox_clock.read())).offset_ms, 60);
    // Each waited for its turn before it read, so none had to begin again.
    assert.equal(attempts, 60);
  });

  it('that is open ends before its process closes, whether it succeeds or fails', async () => {
    for (const fails of [false, true]) {
      const closing = await fixture().another();
      const opened = Promise.withResolvers<void>();
      const work = closing.unitOfWork.run(async (tx) => {
        opened.resolve();
        for (let at = 0; at < 5; at += 1) await makeCompany(tx, 'Closing');
        if (fails) throw new Refusal('not_found', 'no');
      });
      await opened.promise;
      const [outcome] = await Promise.all([Promise.allSettled([work]), closing.close(), closing.close()]);
      assert.equal(outcome[0].status, fails ? 'rejected' : 'fulfilled');
    }
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
        });
      return [await insert('one'), await insert('two')] as const;
    });
    const other = await fixture().another();
    let attempts = 0;
    let arrived = 0;
    // The second of each waits until both hold their first; on SQLite the second process has to wait for the lock itself.
    const crossed = async (
      tx: Parameters<Parameters<typeof other.unitOfWork.run>[0]>[0],
      order: { first: number; second: number },
    ) => {
      attempts += 1;
      const { first, second } = order;
      // Begun again, it waits where the other is: the two do not cross a second time.
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
  it('rejects with a fault when the database has gone away', async () => {
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

  it('rejects with a retryable fault when its connection is ended in the middle, and goes on with another', async () => {
    const database = await scratchDatabase('postgres');
    const persistence = await openPersistence(database);
    await persistence.migrate();
    const lost = persistence.unitOfWork.run(async (tx) => {
      await makeCompany(tx, 'Lost');
      await readRows(
        database,
        `select pg_terminate_backend(pid) from pg_stat_activity
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

  it('rejects with a retryable fault when nobody listens', async () => {
    const persistence = await mikroOrmPersistence({
      database_url: 'postgres://postgres@127.0.0.1:1/none',
      clock: fixedClock('2026-05-20T12:00:00Z'),
    });
    await assert.rejects(persistence.ping(), (error) => error instanceof Fault && error.retryable);
    await assert.rejects(persistence.migrate(), (error) => error instanceof Fault && error.retryable);
    await persistence.close();
  });
}
