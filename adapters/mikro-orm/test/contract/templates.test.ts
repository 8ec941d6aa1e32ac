import assert from 'node:assert/strict';
import { it } from 'node:test';
import { template_store_contract } from '@tallystick/harness';
import { type ScratchDatabase, until } from '@tallystick/test-support';
import { connect } from '../../src/connection/connection.ts';
import { keepsContracts } from './contract-suites.ts';
import { makeCompany, noon_ms, onEveryDatabase } from './fixture.ts';

keepsContracts({ TemplateStore: template_store_contract });

onEveryDatabase('the store of templates', (fixture, name) => {
  // On SQLite the other transaction locks the whole database.
  if (name !== 'postgres') return;

  it('waits for a due template that another process completes: an empty claim means that all are done', async () => {
    const { id } = await fixture().run((tx) => makeCompany(tx));
    await fixture().run((tx) =>
      tx.templates.insert({
        company_id: id,
        name: 'Restaurants',
        description: 'Where one eats',
        mcc_list: ['5812'],
        mcc_rule: 'ALLOW',
        merchant_controls: null,
        required_control: 'VELOCITY',
        status: 'PENDING',
        transaction_key: 'key',
        copy_from_template: '1',
        customer_number: '1',
        environment: 'sandbox',
        created_at_ms: noon_ms,
        updated_at_ms: noon_ms,
        deleted_at_ms: null,
        completes_at_ms: 1,
        version: 1,
      }),
    );
    const [held, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const holder = fixture().run(async (tx) => {
      const due = await tx.templates.claimDue(1, 100);
      for (const one of due) await tx.templates.update({ ...one, status: 'ACTIVE', completes_at_ms: null });
      held.resolve();
      await ended.promise;
      return due.length;
    });
    await held.promise;
    const other = await fixture().another();
    const claiming = other.unitOfWork.run((tx) => tx.templates.claimDue(1, 100));
    const first = await Promise.race([
      claiming.then(() => 'passed over'),
      untilOneWaits(fixture().database).then(() => 'waited'),
    ]);
    ended.resolve();
    assert.deepEqual([first, await holder, await claiming], ['waited', 1, []]);
  });
});

/** Resolves when a transaction on the database waits for a row of another. */
async function untilOneWaits(database: ScratchDatabase): Promise<void> {
  const connection = await connect(database);
  assert(connection.dialect === 'postgres');
  const waiting = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  await until(async () => (await connection.pool.query(waiting)).rows.length > 0);
  await connection.close();
}
