import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createNetwork } from '@tallystick/cards';
import { fixedClock } from '@tallystick/kernel';
import { database_names, testAuditMac, until } from '@tallystick/test-support';
import { mikroOrmPersistence } from '../../src/index.ts';
import { authorizationMessage, noon_ms, openLedger, plain_quarantine, run, seededDatabase } from '../ledger-fixture.ts';

if (database_names.includes('postgres')) {
  test('no segment is indexed while a pass that has drawn one of its ids is not committed', async (t) => {
    const database = await seededDatabase('postgres', 1);
    const { connection, close } = await openLedger(database.database_url);
    assert(connection.dialect === 'postgres');
    const clock = fixedClock(noon_ms);
    const persistence = await mikroOrmPersistence({
      audit_mac: testAuditMac,
      database_url: database.database_url,
      clock,
    });
    const { pool } = connection;
    const holder = await pool.connect();
    t.after(async () => {
      holder.release(true);
      await persistence.close();
      await close();
      await database.dispose();
    });
    await run(connection, 'update tallystick_event_index set segment_size = 16, volume_size = 64');
    // The pass draws the ids of its events, and then waits for this table.
    await holder.query('begin');
    await holder.query('lock table tallystick_event_outbox in exclusive mode');
    const network = createNetwork({
      ledger: persistence.ledger,
      ...plain_quarantine,
      vault: { cvcMatches: () => true },
      random: { below: () => 7, bytes: (count) => new Uint8Array(count) },
    });
    const answer = network.authorize(authorizationMessage(1, { mcc: '5999' }));
    const waiting = `select 1 from pg_locks where not granted and relation = 'tallystick_event_outbox'::regclass`;
    await until(async () => (await pool.query(waiting)).rows.length > 0);
    await pool.query(
      `insert into tallystick_events (company_id, event_type, created_at_ms, payload) select 9, 'x', 0, '{}' from generate_series(1, 64)`,
    );
    await persistence.event_index.run();
    const { rows } = await pool.query<{ indexed_below: number }>('select indexed_below from tallystick_event_index');
    assert.deepEqual(rows, [{ indexed_below: 0 }]);
    await holder.query('rollback');
    assert.equal((await answer).kind, 'answered');
    await persistence.event_index.run();
    assert.equal(await persistence.event_index.unindexedSegments(), 0);
    const filter = { name: 'payload.mcc', kind: 'equals', value: '5999' } as const;
    const { items } = await persistence.unitOfWork.read((tx) => tx.events.list(1, [filter], { limit: 5 }));
    assert.equal(items.length, 1);
  });
}
