import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Period } from '@tallystick/reconciliation';
import { testAuditMac } from '@tallystick/test-support';
import Database from 'better-sqlite3';
import { mikroOrmPersistence, type Tx } from '../src/index.ts';

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
