import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { money } from '@tallystick/kernel';
import { daysAfter, type Item, itemIdOf, matchCellChanges, readRules } from '@tallystick/reconciliation';
import { database_names, type ScratchDatabase, scratchDatabase } from '@tallystick/test-support';
import { reconciliationReports } from '../src/stores/reconciliation/reports.ts';
import { makeCompany, migrateWithSmallSegments, openPersistence } from './contract/fixture.ts';
import { rowsRead } from './rows-read.ts';

const items_count = 2_000;
const days = 10;

/** A matched purchase with a match on both sides. */
function matchedItem(company_id: number, at: number): Item {
  const settlement_date = daysAfter('2026-03-02', at % days);
  const match = { class: 'exact', clearing_ids: [at], values: {} } as const;
  return {
    id: itemIdOf({ kind: 'authorization', id: at }),
    company_id,
    status: 'matched',
    kind: null,
    class: 'exact',
    rule: '3',
    vcn_id: 1,
    merchant_name: 'Paper and Ink',
    authorization_ids: [at],
    clearing_ids: [at],
    line_ids: [at],
    matches: [
      { ...match, side: 'authorization', rule: '3', authorization_id: at, line_ids: [] },
      { ...match, side: 'statement', rule: 'ard', authorization_id: null, line_ids: [at] },
    ],
    alternatives: [],
    authorized: money(1_000),
    cleared: money(1_000),
    stated: money(1_000),
    fees: money(0),
    difference: money(0),
    currency: 'USD',
    sides: 3,
    settlement_date,
    period_date: settlement_date,
    due_date: null,
    next_change_ms: null,
    opened_at_ms: 1_000_000 + at,
    version: 1,
    period_id: null,
  };
}

describe('what a company reads of many items, on Postgres', {
  skip: database_names.includes('postgres') ? false : 'no Postgres',
}, () => {
  let database: ScratchDatabase;
  let company_id: number;

  before(async () => {
    database = await scratchDatabase('postgres');
    await migrateWithSmallSegments(database);
    const persistence = await openPersistence(database);
    company_id = await persistence.unitOfWork.run(async (tx) => (await makeCompany(tx)).id);
    const inserted = Array.from({ length: items_count }, (_, at) => matchedItem(company_id, at + 1));
    await persistence.unitOfWork.run(async ({ reconciliation }) => {
      await reconciliation.lockCompany(company_id);
      await reconciliation.write({
        company_id,
        inserted,
        updated: [],
        removed_ids: [],
        entries_put: [],
        entries_removed: [],
        cells: [],
        match_cells: matchCellChanges(inserted.map((item) => ({ before: null, after: item }))),
      });
    });
    await persistence.close();
  });

  after(() => database.dispose());

  it('counts the matches of all items without reading one', async () => {
    for (const range of [{}, { from: daysAfter('2026-03-02', 1) }]) {
      const read = await rowsRead(database.database_url, async (session) => {
        const reports = { reconciliation_reports: reconciliationReports(session) };
        const { matches } = await readRules(reports, { company_id }, range);
        assert.equal(matches, range.from === undefined ? 2 * items_count : (2 * items_count * (days - 1)) / days);
      });
      assert.equal(read.reconciliation_items, 0);
      assert.ok(read.reconciliation_match_cells! <= 2 * days, JSON.stringify(read));
    }
  });
});
