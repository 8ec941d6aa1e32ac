import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { EventFilter } from '@tallystick/events';
import { database_names, scratchDatabase } from '@tallystick/test-support';
import { type RawBuilder, sql } from 'kysely';
import { connect } from '../../src/connection/connection.ts';
import type { Session } from '../../src/connection/session.ts';
import { eventStore } from '../../src/stores/events/events.ts';
import { migrateWithSmallSegments, openPersistence } from '../contract/fixture.ts';

const skip = database_names.includes('postgres') ? false : 'no Postgres';

/** Values of the types that the statements have. */
const values: Readonly<Record<string, string>> = { bigint: '0', bytea: `''`, json: `'[]'` };

it('a search on an almost empty Postgres prepares no plan that reads a whole table', { skip }, async (t) => {
  const database = await scratchDatabase('postgres');
  t.after(() => database.dispose());
  await migrateWithSmallSegments(database);
  const persistence = await openPersistence(database);
  t.after(() => persistence.close());
  const event = { company_id: 1, event_type: 'x', payload: {}, previous: null, request_id: null };
  for (let from = 0; from < 1_600; from += 160) {
    const events = Array.from({ length: 160 }, (_, at) => ({ ...event, created_at_ms: from + at }));
    await persistence.unitOfWork.run((tx) => tx.events.append(events));
  }
  await persistence.event_index.run();

  const connection = await connect({ database_url: database.database_url, connections_max: 3 });
  t.after(() => connection.close());
  const db = connection.orm.em.getKysely() as unknown as Session['db'];
  const run = async <Row>(query: RawBuilder<Row>) => (await query.execute(db)).rows;
  const searchIn = async (trx: Session['db'], filter: EventFilter) => {
    const session = { dialect: connection.dialect, db: trx, giveWay: () => undefined, beforeCommit: () => {} };
    const { items } = await eventStore(session, { noteWritten: () => {} }).list(1, [filter], { limit: 2 });
    return items.map(({ created_at_ms }) => created_at_ms);
  };
  const search = (filter: EventFilter) => db.transaction().execute((trx) => searchIn(trx, filter));
  await run(sql`vacuum analyze`);
  for (let count = 0; count < 10; count += 1) {
    assert.deepEqual(await search({ name: 'event_type', kind: 'equals', value: 'y' }), []);
    assert.deepEqual(await search({ name: 'created_at', kind: 'range', to: 100 }), [100, 99]);
  }
  const statements = await run(
    sql<{ name: string; types: string; generic_plans: number }>`
      select name, array_to_string(parameter_types, ' ') as types, generic_plans from pg_prepared_statements`,
  );
  assert.equal(statements.length, 3);
  for (const { name, types, generic_plans } of statements) {
    assert(generic_plans > 0, name);
    const given = types.split(' ').map((type) => sql.raw(values[type]!));
    const plan = await db.transaction().execute(async (trx) => {
      // A search sets how its transaction plans.
      await searchIn(trx, { name: 'event_type', kind: 'equals', value: 'y' });
      const explain = sql<{ 'QUERY PLAN': string }>`explain execute ${sql.ref(name)} (${sql.join(given)})`;
      return (await explain.execute(trx)).rows;
    });
    const text = plan.map((row) => row['QUERY PLAN']).join('\n');
    assert.match(text, /Index Scan.* using tallystick_(event_filter_blocks|events)_pkey.*\n.*Index Cond/);
    assert.doesNotMatch(text, /Seq Scan on (event_filter_blocks|events)\b/);
  }
});
