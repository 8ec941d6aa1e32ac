import type { ItemFilter, LineFilter } from '@tallystick/reconciliation';
import { type DatabaseName, type FilledDatabase, filledDatabase } from './filled-database.ts';
import type { Bench, BenchOptions } from './main.ts';
import { median, type Row, row } from './measure.ts';

const full_size = 1_000_000;

/**
 * The first page of items and of statement lines by each filter, alone and with the status `break`:
 * of values that nearly all rows have, that some have, and that none has.
 */
export const reconciliation_filters: Bench = {
  name: 'reconciliation-filters',
  async run(options) {
    const rows: Row[] = [];
    const databases: readonly DatabaseName[] = options.postgres ? ['sqlite', 'postgres'] : ['sqlite'];
    for (const name of databases) rows.push(...(await filtered(name, options)));
    return rows;
  },
};

async function filtered(name: DatabaseName, { growth_scale, quick, log }: BenchOptions): Promise<readonly Row[]> {
  const count = Math.max(1_000, Math.round(full_size * (growth_scale ?? 1)));
  log(`filling ${name} with ${count} items and lines`);
  const database = await filledDatabase(name, { cards: 10, authorizations: 0, events: 0 });
  try {
    const numbers =
      name === 'sqlite'
        ? `(with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count}) select i from n)`
        : `(select i from generate_series(1, ${count}) i)`;
    const date = (days: string) =>
      name === 'sqlite'
        ? `date('2027-01-01', '+' || (${days}) || ' days')`
        : `to_char(date '2027-01-01' + (${days})::int, 'YYYY-MM-DD')`;
    for (const statement of fillings(numbers, date)) await database.execute(statement);
    await database.execute(name === 'postgres' ? 'vacuum analyze' : 'pragma optimize');
    const rounds = quick ? 3 : 41;
    const items = (filter: ItemFilter) => () => pageOfItems(database, filter);
    const lines = (filter: LineFilter) => () => pageOfLines(database, filter);
    const baselines = {
      items: await medianOf(rounds, items({})),
      lines: await medianOf(rounds, lines({})),
    };
    const at = (what: 'items' | 'lines', filter: object, ours: number): Row =>
      row(
        `${what} ${JSON.stringify(filter)}, ${name}`,
        'µs',
        { ours, baseline: baselines[what], baseline_name: 'first page' },
        { kind: 'at_most', ratio: 5 },
      );
    const rows: Row[] = [];
    for (const filter of item_filters) {
      for (const whole of [filter, { ...filter, status: 'break' as const }]) {
        rows.push(at('items', whole, await medianOf(rounds, items(whole))));
      }
    }
    for (const filter of line_filters) rows.push(at('lines', filter, await medianOf(rounds, lines(filter))));
    return rows;
  } finally {
    await database.dispose();
  }
}

const item_filters: readonly ItemFilter[] = [
  { amount: { from: 1 } },
  { amount: { from: 500, to: 510 } },
  { amount: { from: 77_777_777 } },
  { merchant_name: 'Common' },
  { merchant_name: 'Merchant 17' },
  { merchant_name: 'None' },
  { account_id: '1000000001' },
  { account_id: '1000000002' },
  { account_id: '1000000003' },
  { booking_date: { from: '2027-01-01' } },
  { booking_date: { from: '2028-01-01', to: '2028-01-01' } },
  { booking_date: { from: '2040-01-01' } },
  { assignee: 'Anna' },
  { assignee: 'Ben' },
  { assignee: 'None' },
  { assignee: null },
  { reference: '12345678901234567' },
  { reference: '50000000000000042' },
  { reference: 'NONREF' },
  { reference: 'None' },
];

const line_filters: readonly LineFilter[] = [
  ...item_filters
    .filter((filter) => filter.merchant_name === undefined && filter.assignee === undefined)
    .map(({ amount, ...rest }) =>
      amount === undefined
        ? rest
        : { amount: { ...(amount.to === undefined ? {} : { from: -amount.to }), to: -(amount.from ?? 0) } },
    ),
  { bai_code: '821' },
  { bai_code: '165' },
  { bai_code: '999' },
];

/** One item and one line in 50 is a break, on another account, or has a rare value. */
function fillings(numbers: string, date: (days: string) => string): readonly string[] {
  const account = (id: number, number: string) =>
    `insert into tallystick_accounts (id, company_id, number, currency, kind, created_at_ms) values (${id}, 1, '${number}', 'USD', 'card', 0)`;
  const day = date('i / 1500');
  const digits = "'0000000000000000' || i";
  const key = `case when i % 3 = 0 then '12345678901234567' else '5' || substr(${digits}, length(${digits}) - 15) end`;
  return [
    account(1, '1000000001'),
    account(2, '1000000002'),
    account(3, '1000000003'),
    `insert into tallystick_statement_lines (id, account_id, company_id, currency, statement_id, place, occurrence, bank_reference, booking_date, value_date,
        amount, bai_code, text, acquirer_reference, recorded_at_ms)
      select i, case when i % 50 = 7 then 2 else 1 end, 1, 'USD', 1, i, 1, case when i % 2 = 0 then 'NONREF' else 'B' || i end, ${day}, ${day},
        -(1 + i % 9973), case when i % 1000 = 3 then '165' else '821' end, 'CARD PURCHASE', ${key}, i from ${numbers} n`,
    'delete from tallystick_reconciliation_inbox',
    `insert into tallystick_reconciliation_items (id, company_id, status, kind, class, rule, vcn_id, merchant_name, authorization_ids,
        clearing_ids, line_ids, matches, alternatives, authorized, cleared, stated, fees, difference, currency, sides, settlement_date,
        period_date, account_id, booking_date, opened_at_ms, is_touched, tolerated, version, assignee)
      select i * 4 + 1, 1, case when i % 50 = 1 then 'break' else 'matched' end, case when i % 50 = 1 then 'amount' end, 'exact', '3', 1 + i % 10,
        case when i % 5 = 0 then 'Merchant ' || i % 5000 else 'Common' end, '[]', '[' || i || ']', '[' || i || ']', '[]', '[]', 1 + i % 9973, 1 + i % 9973,
        case when i % 50 = 1 then 2 + i % 9973 else 1 + i % 9973 end, 0, 0, 'USD', 3, ${day}, ${day}, case when i % 50 = 7 then 2 else 1 end, ${day},
        1800000000000 + cast(i as bigint) * 60000, 0, '[]', 1,
        case when i % 50 = 1 and i % 3 > 0 then case when i % 5000 = 1 then 'Ben' else 'Anna' end end from ${numbers} n`,
    `insert into tallystick_reconciliation_entries (company_id, "key", kind, record_id, item_id)
      select 1, 'USD ' || ${key}, 'clearing', i, i * 4 + 1 from ${numbers} n`,
    `insert into tallystick_reconciliation_entries (company_id, "key", kind, record_id, item_id)
      select 1, 'USD ' || ${key}, 'line', i, i * 4 + 1 from ${numbers} n`,
    `insert into tallystick_reconciliation_cells (company_id, currency, status, kind, class, due_date, count, sum)
      values (1, 'USD', 'matched', '', 'exact', '', 1, 1)`,
  ];
}

async function pageOfItems({ persistence }: FilledDatabase, filter: ItemFilter): Promise<void> {
  await persistence.unitOfWork.read((tx) => tx.reconciliation.list(1, filter, { limit: 50 }));
}

async function pageOfLines({ persistence }: FilledDatabase, filter: LineFilter): Promise<void> {
  await persistence.unitOfWork.read((tx) => tx.reconciliation_reports.listLines(1, filter, { limit: 50 }));
}

/** Microseconds. */
async function medianOf(rounds: number, work: () => Promise<void>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const began_ms = performance.now();
    await work();
    times.push((performance.now() - began_ms) * 1000);
  }
  return median(times);
}
