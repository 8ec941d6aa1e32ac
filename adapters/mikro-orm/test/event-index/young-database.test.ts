import assert from 'node:assert/strict';
import { it } from 'node:test';
import { database_names, scratchDatabase } from '@tallystick/test-support';
import { type RawBuilder, sql } from 'kysely';
import { connect } from '../../src/connection/connection.ts';
import type { Session } from '../../src/connection/session.ts';
import { findEventIds } from '../../src/stores/event-search.ts';
import { migrateWithSmallSegments, openPersistence } from '../contract/fixture.ts';

const skip = database_names.includes('postgres') ? false : 'no Postgres';

it('a search on an almost empty Postgres prepares no plan that reads a whole table', { skip }, async (t) => {
  const database = await scratchDatabase('postgres');
  t.after(() => database.dispose());
  await migrateWithSmallSegments(database);
  const persistence = await openPersistence(database);
  t.after(() => persistence.close());
  const event = { company_id: 1, event_type: 'x', payload: {}, previous: null, created_at_ms: 0, request_id: null };
  for (let count = 0; count < 10; count += 1) {
    await persistence.unitOfWork.run((tx) => tx.events.append(Array.from({ length: 160 }, () => event)));
  }
  await persistence.event_index.run();

  const connection = await connect({ database_url: database.database_url, pool_max: 1 });
  t.after(() => connection.close());
  const db = connection.orm.em.getKysely() as unknown as Session['db'];
  const run = async <Row>(query: RawBuilder<Row>) => (await query.execute(db)).rows;
  await run(sql`vacuum analyze`);
  for (let count = 0; count < 10; count += 1) {
    const ids = await db.transaction().execute((trx) => {
      const session = { dialect: connection.dialect, db: trx, beforeCommit: () => {} };
      return findEventIds(session, 1, [{ name: 'event_type', kind: 'equals', value: 'y' }], { limit: 1 });
    });
    assert.deepEqual(ids, []);
  }
  const statements = await run(
    sql<{ name: string; generic_plans: number }>`select name, generic_plans from pg_prepared_statements`,
  );
  assert(statements.some(({ generic_plans }) => generic_plans > 0));
  for (const { name } of statements) {
    const plan = await run(sql<{ 'QUERY PLAN': string }>`explain execute ${sql.ref(name)} ('', '[]')`);
    const text = plan.map((row) => row['QUERY PLAN']).join('\n');
    assert.match(text, /Index Scan Backward using event_filter_blocks_pkey/);
    assert.doesNotMatch(text, /Seq Scan on event_filter_blocks/);
  }
});
