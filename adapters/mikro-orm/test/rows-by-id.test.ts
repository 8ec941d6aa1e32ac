import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { type Period, type ReconciliationStore, statement_key_default } from '@tallystick/reconciliation';
import { database_names, migratedDatabase, testAuditMac } from '@tallystick/test-support';
import Database from 'better-sqlite3';
import { sql } from 'kysely';
import { connect } from '../src/connection/connection.ts';
import type { Session } from '../src/connection/session.ts';
import { mikroOrmPersistence, type Tx } from '../src/index.ts';
import { linesById } from '../src/stores/reconciliation/line-list.ts';
import { queriesOf } from '../src/stores/reconciliation/query.ts';
import { reconciliationStore } from '../src/stores/reconciliation/reconciliation.ts';

const period = { id: 1, company_id: 1 } as Period;

const changes: Readonly<Record<string, (tx: Tx) => Promise<unknown>>> = {
  'a removal of items': ({ reconciliation }) =>
    reconciliation.write({
      company_id: 1,
      inserted: [],
      updated: [],
      removed_ids: [5, 9],
      entries_inserted: [],
      entries_updated: [],
      entries_removed: [],
      cells: [],
      match_cells: [],
      break_days: null,
    }),
  'keeping lines': ({ reconciliation }) => reconciliation.keepLines(1, [4, 8], true),
  'freezing items': ({ reconciliation }) => reconciliation.freeze(period, []),
  'unfreezing items': ({ reconciliation }) => reconciliation.unfreeze(period, 10),
};

for (const [name, change] of Object.entries(changes)) {
  it(`${name} reads the rows that it names, not those of the company, on sqlite`, async (t) => {
    const executed: string[] = [];
    const database = new Database(':memory:', { verbose: (sql) => executed.push(String(sql)) });
    const persistence = await mikroOrmPersistence({
      audit_mac: testAuditMac,
      database_url: '',
      database,
      clock: { nowMs: () => 0 },
    });
    t.after(async () => {
      await persistence.close();
      database.close();
    });
    await persistence.migrate();
    executed.length = 0;
    await persistence.unitOfWork.run(change);
    const named = executed.filter((sql) => /^(update|delete from) \w+_(items|lines) /.test(sql));
    assert.ok(named.length > 0, executed.join('\n'));
    for (const sql of named) {
      const plan = database.prepare<unknown[], { detail: string }>(`explain query plan ${sql}`).all();
      assert.match(plan[0]!.detail, /USING INTEGER PRIMARY KEY/, sql);
    }
  });
}

describe('on a Postgres whose tables are empty', {
  skip: database_names.includes('postgres') ? false : 'no Postgres',
}, () => {
  it('records and items are looked up by their ids', async (t) => {
    const plans = await plansOf(t, async (session, store) => {
      await store.lockCompany(1);
      await store.authorizations(1, [1]);
      await store.clearings(1, [1]);
      await store.candidateRecords(1, [1]);
      await store.lines(1, [1]);
      await store.items(1, [1]);
      await linesById(queriesOf(session), 1, [1]);
    });
    const by_id = plans.filter(({ statement }) => statement.includes('.id = j.value'));
    assert.equal(by_id.length, 6);
    for (const { plan } of by_id) assert.match(plan, /_pkey on .*\n +Index Cond: \(id = j.value\)/);
  });

  it('arrivals are taken from their place in the inbox, with statistics too', async (t) => {
    const plans = await plansOf(t, async ({ db }, store) => {
      await sql`analyze tallystick_reconciliation_inbox`.execute(db);
      await store.lockCompany(1);
      await store.takeArrivals(1, 50);
    });
    const [taken] = plans.filter(({ statement }) => statement.includes('delete from'));
    assert.match(taken!.plan, /inbox\b.*\n +Index Cond: \(\(company_id = \$1\) AND \(id <= \$\d\)\)/);
  });
});

/** What the statements of `work` are, with the plans that a connection keeps for any values. */
async function plansOf(t: TestContext, work: (session: Session, store: ReconciliationStore) => Promise<void>) {
  const database = await migratedDatabase('postgres');
  t.after(() => database.dispose());
  const connection = await connect({ database_url: database.database_url, connections_max: 3 });
  t.after(() => connection.close());
  const kysely = connection.orm.em.getKysely() as unknown as Session['db'];
  return await kysely.transaction().execute(async (db) => {
    const session = { dialect: connection.dialect, db, giveWay: () => undefined, beforeCommit: () => {} };
    await work(session, reconciliationStore(session, statement_key_default));
    await sql`set local plan_cache_mode = force_generic_plan`.execute(db);
    const prepared = await sql<{ name: string; statement: string; count: number }>`select name, statement,
      cardinality(parameter_types) as count from pg_prepared_statements where cardinality(parameter_types) > 0`.execute(
      db,
    );
    const plans: { statement: string; plan: string }[] = [];
    for (const { name, statement, count } of prepared.rows) {
      const nulls = sql.raw(Array(count).fill('null').join(', '));
      const { rows } = await sql<Record<string, string>>`explain execute ${sql.ref(name)} (${nulls})`.execute(db);
      plans.push({ statement, plan: rows.map((row) => row['QUERY PLAN']).join('\n') });
    }
    return plans;
  });
}
