import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createNetwork } from '@tallystick/cards';
import { newItem, spend } from '@tallystick/harness';
import { money } from '@tallystick/kernel';
import {
  daysAfter,
  type Item,
  type ItemPlace,
  itemIdOf,
  matchCellChanges,
  noItemChanges,
  readRules,
  record_kinds,
  statement_key_default,
} from '@tallystick/reconciliation';
import { database_names, repeatableRandom, type ScratchDatabase, scratchDatabase } from '@tallystick/test-support';
import { connect } from '../src/connection/connection.ts';
import type { Session } from '../src/connection/session.ts';
import { unitOfWorkOn } from '../src/connection/unit-of-work.ts';
import { reconciliationStore } from '../src/stores/reconciliation/reconciliation.ts';
import { reconciliationReports, summed_max } from '../src/stores/reconciliation/reports.ts';
import { makeCompany, migrateWithSmallSegments, openPersistence } from './contract/fixture.ts';
import {
  authorizationMessage,
  clearingMessage,
  openLedger,
  plain_quarantine,
  run,
  seededDatabase,
} from './ledger-fixture.ts';
import { rowsRead } from './rows-read.ts';

const items_count = 2_000;
const days = 10;

/** A matched purchase with a match on both sides. */
function matchedItem(company_id: number, at: number): Item {
  const settlement_date = daysAfter('2026-03-02', at % days);
  const match = { class: 'exact', clearing_ids: [at], values: {} } as const;
  return newItem({
    id: itemIdOf({ kind: 'authorization', id: at }),
    company_id,
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
    authorized: money(1_000),
    cleared: money(1_000),
    stated: money(1_000),
    sides: 3,
    settlement_date,
    account_id: 1,
    booking_date: settlement_date,
    opened_at_ms: 1_000_000 + at,
  });
}

/** Inserts matched purchases with the ids of their records from `first`. */
async function insertItems(
  database: ScratchDatabase,
  company_id: number,
  { first, count }: { readonly first: number; readonly count: number },
): Promise<void> {
  const inserted = Array.from({ length: count }, (_, at) => matchedItem(company_id, first + at));
  const persistence = await openPersistence(database);
  try {
    await persistence.unitOfWork.run(async ({ reconciliation }) => {
      await reconciliation.lockCompany(company_id);
      await reconciliation.write({
        ...noItemChanges(company_id),
        inserted,
        match_cells: matchCellChanges(inserted.map((item) => ({ before: null, after: item }))),
      });
    });
  } finally {
    await persistence.close();
  }
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
    await persistence.close();
    await insertItems(database, company_id, { first: 1, count: items_count });
  });

  after(() => database.dispose());

  it('counts the matches of all items without reading one', async () => {
    for (const range of [{}, { from: daysAfter('2026-03-02', 1) }]) {
      const read = await rowsRead(database.database_url, async (session) => {
        const reports = { reconciliation_reports: reconciliationReports(session, statement_key_default) };
        const { matches } = await readRules(reports, { company_id }, range);
        assert.equal(matches, range.from === undefined ? 2 * items_count : (2 * items_count * (days - 1)) / days);
      });
      assert.equal(read.reconciliation_items, 0);
      // Two rules and the items of each day.
      assert.ok(read.reconciliation_match_cells! <= 3 * days, JSON.stringify(read));
    }
  });
});

describe('the sum of the lines of an account before a date', () => {
  const days_of_lines = 27;
  const count = 2 * summed_max + 5_000;

  for (const name of database_names) {
    it(`is added up in pieces, from an index alone, on ${name}`, async (t) => {
      const database = await scratchDatabase(name);
      t.after(() => database.dispose());
      await migrateWithSmallSegments(database);
      const connection = await connect({ database_url: database.database_url });
      t.after(() => connection.close());
      const series =
        name === 'postgres'
          ? `generate_series(0, ${count - 1}) as s (i)`
          : `(with recursive s (i) as (select 0 union all select i + 1 from s where i < ${count - 1}) select i from s)`;
      await run(
        connection,
        `insert into tallystick_statement_lines (account_id, company_id, currency, occurrence, booking_date, value_date, amount,
            bai_code, text, recorded_at_ms, standing)
          select 1 + i % 2, 1, 'USD', i, '2026-03-' || cast(10 + i % ${days_of_lines} as text), '2026-03-01', 1, '821', '', 0,
            case when i % 10 = 3 then 'differs' end
          from ${series}`,
      );
      if (name === 'postgres') await run(connection, 'vacuum tallystick_statement_lines');
      const all = Array.from({ length: count }, (_, i) => i);
      const sumBefore = (account_id: number, day: number) =>
        all.filter((i) => 1 + (i % 2) === account_id && i % days_of_lines < day && i % 10 !== 3).length;
      const sums = async (session: Session) => {
        let pieces = 0;
        const giveWay = (): undefined => {
          pieces += 1;
        };
        const reports = reconciliationReports({ ...session, giveWay }, statement_key_default);
        for (const day of [0, 1, 5, days_of_lines]) {
          for (const account_id of [1, 2]) {
            const sum = await reports.sumBookedBefore(account_id, `2026-03-${10 + day}`);
            assert.equal(sum, sumBefore(account_id, day), `${account_id}, ${day}`);
          }
        }
        // Of each account only the last sum has more lines than a statement adds up.
        assert.equal(pieces, 2);
      };
      if (name === 'sqlite') await unitOfWorkOn(connection, repeatableRandom(1), (session) => session).read(sums);
      else assert.equal((await rowsRead(database.database_url, sums)).statement_lines, 0);
    });
  }
});

describe('a walk over the records of a company, on Postgres', {
  skip: database_names.includes('postgres') ? false : 'no Postgres',
}, () => {
  const of_others = 400;
  const own = 7;

  it('reads no clearing, line or item of another company, and finds each of its own once', async (t) => {
    const database = await seededDatabase('postgres', 2, {
      per_transaction_max: 1_000_000,
      total_card_amount: 1_000_000,
    });
    t.after(() => database.dispose());
    const { connection, ledger, close } = await openLedger(database.database_url);
    try {
      const message = authorizationMessage(1);
      await ledger.pass([message], spend([message]));
      const random = { below: () => 1, bytes: (count: number) => new Uint8Array(count) };
      const network = createNetwork({ ledger, vault: { cvcMatches: () => true }, random, ...plain_quarantine });
      await network.clear(clearingMessage(1));
      const copy = (table: string, count: number, change: string) =>
        run(
          connection,
          `insert into tallystick_${table} select (jsonb_populate_record(null::tallystick_${table}, to_jsonb(c) || jsonb_build_object(${change}))).*
            from (select * from tallystick_${table} order by id limit 1) c cross join generate_series(1, ${count}) as s (i)`,
        );
      // Another company has many records on one card and one account, some before and some after.
      await copy('companies', 1, "'id', 2, 'customer_number', '2'");
      await copy('virtual_cards', 3, "'id', 10 + i, 'number_index', sha256(i::text::bytea), 'company_id', 1 + i % 2");
      for (const [card_id, company_id, from, count] of [
        [10 + 1, 2, 1_000, of_others],
        [10 + 2, 1, 10_000, own],
        [10 + 3, 2, 20_000, of_others],
      ]) {
        const row = `'card_id', ${card_id}, 'company_id', ${company_id}, 'id', ${from} + i`;
        await copy('authorizations', count!, `${row}, 'root_id', ${from} + i, 'trace_id', 'T' || ${from} + i`);
        await copy('clearings', count!, `${row}, 'network_financial_transaction_id', 'N' || ${from} + i`);
      }
      for (const [company_id, count] of [
        [2, of_others],
        [1, own],
      ]) {
        await run(
          connection,
          `insert into tallystick_accounts (id, company_id, number, currency, kind, created_at_ms)
            values (${company_id}, ${company_id}, '${company_id}', 'USD', 'deposit', 0)`,
        );
        await run(
          connection,
          `insert into tallystick_statement_lines (account_id, company_id, currency, occurrence, booking_date, value_date, amount,
              bai_code, text, recorded_at_ms)
            select ${company_id}, ${company_id}, 'USD', 1, '2026-03-0' || 1 + i % 9, '2026-03-01', -1, '821', '', 0
            from generate_series(1, ${count}) as s (i)`,
        );
      }
    } finally {
      await close();
    }
    await insertItems(database, 2, { first: 1_000, count: of_others });
    await insertItems(database, 1, { first: 10_000, count: own });
    await insertItems(database, 2, { first: 20_000, count: of_others });
    const found = { authorization: 0, clearing: 0, line: 0, items: 0 };
    const read = await rowsRead(database.database_url, async (session) => {
      const store = reconciliationStore(session, statement_key_default);
      for (const kind of record_kinds) {
        const ids = new Set<number>();
        for (let after = 0; ; ) {
          const next = await store.recordsAfter(1, kind, after, 3);
          for (const id of next) assert(!ids.has(id), `${kind} ${id} is walked twice`);
          for (const id of next) ids.add(id);
          if (next.length === 0) break;
          after = next.at(-1)!;
        }
        found[kind] = ids.size;
      }
      const items = new Set<number>();
      for (let after: ItemPlace | null = null; ; ) {
        const next: readonly Item[] = await store.itemsAfter(1, after, 3);
        for (const { id } of next) assert(!items.has(id), `item ${id} is walked twice`);
        for (const { id } of next) items.add(id);
        if (next.length === 0) break;
        after = next.at(-1)!;
      }
      found.items = items.size;
      assert.deepEqual(await reconciliationReports(session, statement_key_default).countRecords(1), found);
    });
    assert.deepEqual(found, { authorization: own + 1, clearing: own + 1, line: own, items: own });
    for (const table of ['clearings', 'statement_lines', 'reconciliation_items']) {
      assert.ok(read[table]! < of_others / 4, `${read[table]} rows of ${table}`);
    }
  });
});
