import assert from 'node:assert/strict';
import { it } from 'node:test';
import { everyPage } from '@tallystick/harness';
import { type ItemFilter, statement_key_default } from '@tallystick/reconciliation';
import { changeRows, readRows } from '@tallystick/test-support';
import { reconciliationStore } from '../src/stores/reconciliation/reconciliation.ts';
import { makeCompany, onEveryDatabase } from './contract/fixture.ts';
import { rowsRead } from './rows-read.ts';

const count = 12_000;

/** One item in 50 of those with these amounts. */
const few_breaks: ItemFilter = { status: 'break', amount: { from: 1, to: 3_000 } };

/** Those of a person: few of all, and none of the newest. */
const of_anna: ItemFilter = { status: 'matched', assignee: 'anna' };

/** Filters that few of the newest items fit, so that a page must end before it is full. */
const filters: readonly (readonly [ItemFilter, string])[] = [
  [{ currency: 'EUR' }, "currency = 'EUR'"],
  [{ currency: 'EUR', status: 'break' }, "currency = 'EUR' and status = 'break'"],
  [{ currency: 'EUR', amount: { from: 1 } }, "currency = 'EUR'"],
  [{ currency: 'EUR', account_id: 'A' }, "currency = 'EUR' and account_id = 901"],
  [few_breaks, "status = 'break' and authorized <= 3000"],
  [{ status: 'break', account_id: 'B' }, "status = 'break' and account_id = 902"],
  [{ status: 'matched', account_id: 'A', merchant_name: 'Rare' }, "account_id = 901 and merchant_name = 'Rare'"],
  [{ status: 'break', booking_date: { to: '2026-01-02' } }, "status = 'break' and booking_date <= '2026-01-02'"],
  [{ settlement_date: { to: '2026-01-02' } }, "settlement_date <= '2026-01-02'"],
  [of_anna, "status = 'matched' and assignee = 'anna'"],
  [{ status: 'break', assignee: null }, "status = 'break' and assignee is null"],
];

onEveryDatabase('pages of filtered items', (fixture) => {
  it('compare few rows each, and together have every item that fits', async () => {
    const { database, name, persistence, run } = fixture();
    const { id: company_id } = await run((tx) => makeCompany(tx));
    for (const statement of filling(company_id)) await changeRows(database, statement);
    for (const [filter, condition] of filters) {
      const text = `select id from tallystick_reconciliation_items where company_id = ${company_id} and ${condition}`;
      const expected = await readRows(database, `${text} order by opened_at_ms desc, id desc`);
      const ids = expected.map(({ id }) => Number(id));
      for (const oldest_first of [false, true]) {
        const found = await persistence.unitOfWork.read((tx) =>
          everyPage((page) => tx.reconciliation.list(company_id, filter, { ...page, oldest_first }), 50),
        );
        assert.deepEqual(
          found.map(({ id }) => id),
          oldest_first ? ids.toReversed() : ids,
          `${JSON.stringify(filter)} ${oldest_first}`,
        );
      }
    }
    if (name !== 'postgres') return;
    const readFor = (filter: ItemFilter, oldest_first = false) =>
      rowsRead(database.database_url, (session) =>
        reconciliationStore(session, statement_key_default).list(company_id, filter, { limit: 50, oldest_first }),
      );
    // Of breaks the place and the row, in the order of the index.
    const of_oldest = await readFor({ status: 'break' }, true);
    assert.ok(of_oldest.reconciliation_items! <= 3 * 51, JSON.stringify(of_oldest));
    const [filter] = filters[0]!;
    const read = await readFor(filter);
    // Of 200 and then of 2,000 items the place, the row, and the place of the last one.
    assert.ok(read.reconciliation_items! <= 3 * 2_200 + 100, JSON.stringify(read));
    const of_person = await readFor(of_anna);
    // The places and the rows of those of the person, and of breaks that are hers.
    assert.ok(of_person.reconciliation_items! <= 3 * 100, JSON.stringify(of_person));
    const of_breaks = await readFor(few_breaks);
    // Of 200 breaks the place and the row. Of 3,000 amounts the places, twice, and then 60 rows.
    assert.ok(of_breaks.reconciliation_items! <= 3 * 200 + 2 * 3_000 + 200, JSON.stringify(of_breaks));
  });
});

/** One item in 50 is a break, and one in 500 is in euros; the first have the oldest dates. */
function filling(company_id: number): readonly string[] {
  const account = (id: number, number: string) =>
    `insert into tallystick_accounts (id, company_id, number, currency, kind, created_at_ms) values (${id}, ${company_id}, '${number}', 'USD', 'card', 0)`;
  return [
    account(901, 'A'),
    account(902, 'B'),
    `insert into tallystick_reconciliation_items (id, company_id, status, kind, class, rule, vcn_id, merchant_name, authorization_ids,
        clearing_ids, line_ids, matches, alternatives, authorized, cleared, stated, fees, difference, currency, sides, settlement_date,
        period_date, account_id, booking_date, opened_at_ms, is_touched, tolerated, version, assignee)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
      select i * 4 + 1, ${company_id}, case when i % 50 = 1 then 'break' else 'matched' end, case when i % 50 = 1 then 'amount' end,
        'exact', '3', 1, case when i % 4000 = 10 then 'Rare' else 'Common' end, '[]', '[' || i || ']', '[' || i || ']', '[]', '[]',
        1 + i, 1 + i, 1 + i, 0, 0, case when i % 500 = 1 then 'EUR' else 'USD' end, 3, d, d, case when i % 50 = 7 then 902 else 901 end, d,
        1800000000000 + i / 3, 0, '[]', 1, case when i between 101 and 140 then 'anna' when i % 50 = 1 and i > 6000 then 'ben' end
      from (select i, '2026-01-' || case when i < 3000 then '01' when i < 6000 then '02' else '03' end as d from n) n`,
  ];
}
