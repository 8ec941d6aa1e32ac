import { transaction_list } from '@tallystick/accounts';
import { twoWayPage } from '@tallystick/kernel';
import { type DatabaseName, type FilledDatabase, filledDatabase } from './filled-database.ts';
import type { Bench, BenchOptions } from './main.ts';
import { pairwise, type Row, row } from './measure.ts';

const full_size = 1_000_000;
/** The items of a page of Open Banking. */
const limit = 100;
const first_date = '2023-11-24';

/** Pages of booked transactions at depth, forward and back. */
export const open_banking: Bench = {
  name: 'open-banking',
  async run(options) {
    const rows = [...(await measure('sqlite', options))];
    if (options.postgres) rows.push(...(await measure('postgres', options)));
    return rows;
  },
};

async function measure(name: DatabaseName, { growth_scale, repetitions, quick, log }: BenchOptions): Promise<Row[]> {
  const transactions = Math.max(4_000, Math.round(full_size * (growth_scale ?? 1)));
  const size = transactions.toLocaleString('en-US');
  const database = await filledDatabase(name, { cards: 1, authorizations: 0, events: 0 });
  const rounds = quick ? 3 : repetitions * 40;
  const rows: Row[] = [];
  for (const [at, { what, lines, of_date }] of fills.entries()) {
    log(`filling ${name} with ${size} transactions (${what})`);
    const account_id = at + 1;
    await fill(database, account_id, transactions, { lines, of_date });
    const page = (cursor?: string, dates = {}) =>
      database.persistence.unitOfWork.read(({ bank }) =>
        bank.transactionsOf(account_id, dates, { limit, ...(cursor === undefined ? {} : { cursor }) }),
      );
    const deep = await cursorAtEnd(database, account_id);
    const { prev, items } = await page(deep);
    if (items.length !== limit) throw new Error('the last transactions do not fill a page');
    for (const [direction, cursor] of [
      ['forward', deep],
      ['back', prev!],
    ] as const) {
      const figures = await pairwise(
        rounds,
        async () => void (await page(cursor)),
        async () => void (await page()),
      );
      rows.push(
        row(
          `one page of transactions ${direction}, at depth ${size}, ${what}, ${name}`,
          'µs',
          { ...figures, baseline_name: 'first page' },
          { kind: 'at_most', ratio: 1.5 },
        ),
      );
    }
  }
  await database.dispose();
  return rows;
}

/** What is read: of how many transactions one is a statement line, and how many a date has. */
const fills = [
  { what: 'statement lines', lines: 1, of_date: 1_000 },
  { what: 'half of them shown only', lines: 2, of_date: 1_000 },
  { what: 'all of one date', lines: 2, of_date: 2 * full_size },
] as const;

/** The cursor of the page before the last one. */
async function cursorAtEnd({ persistence }: FilledDatabase, account_id: number): Promise<string> {
  return await persistence.unitOfWork.read(async ({ bank }) => {
    // No transaction is at this place: it is the end of the list.
    const end = [first_date, 1, 0];
    const { prev } = twoWayPage(transaction_list, { direction: 'next', place: end }, [end], 1, (place) => place);
    const last = await bank.transactionsOf(account_id, {}, { limit, cursor: prev! });
    const before_last = await bank.transactionsOf(account_id, {}, { limit, cursor: last.prev! });
    return before_last.next!;
  });
}

/** Transactions that are generated inside the database, in steps, like a growing account. */
async function fill(
  { name, execute }: FilledDatabase,
  account_id: number,
  transactions: number,
  { lines, of_date }: Pick<(typeof fills)[number], 'lines' | 'of_date'>,
): Promise<void> {
  await execute(
    `insert into tallystick_accounts (id, company_id, number, currency, kind, created_at_ms)
     values (${account_id}, 1, 'bench${account_id}', 'USD', 'deposit', 0)`,
  );
  const sequence = (from: number, to: number) =>
    name === 'sqlite'
      ? `with recursive n(i) as (select ${from} union all select i + 1 from n where i < ${to}) select `
      : `with n as (select generate_series(${from}, ${to}) as i) select `;
  const date =
    name === 'sqlite'
      ? `date('${first_date}', '+' || (i / ${of_date}) || ' days')`
      : `to_char(date '${first_date}' + (i / ${of_date})::int, 'YYYY-MM-DD')`;
  const shared = `${date}, ${date}, -1000 - i % 500, '495', 'Outgoing payment ' || i, 0, 5000`;
  const columns = 'booking_date, value_date, amount, bai_code, text, recorded_at_ms, balance_after';
  for (let from = 1; from <= transactions; from += 100_000) {
    const to = Math.min(transactions, from + 99_999);
    await execute(
      `insert into tallystick_statement_lines (account_id, company_id, currency, occurrence, bank_reference, ${columns})
       ${sequence(from, to)} ${account_id}, 1, 'USD', 1, 'L' || i, ${shared} from n where i % ${lines} = 0`,
    );
    await execute(
      `insert into tallystick_shown_transactions (account_id, bank_reference, ${columns})
       ${sequence(from, to)} ${account_id}, 'S' || i, ${shared} from n where i % ${lines} <> 0`,
    );
  }
  if (name === 'postgres') await execute('analyze tallystick_statement_lines; analyze tallystick_shown_transactions');
}
