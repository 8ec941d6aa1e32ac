import { importFile } from '@tallystick/imports';
import { type CaughtUp, catchUpAll, type ItemFilter, rebuild } from '@tallystick/reconciliation';
import { clock, type DatabaseName, type FilledDatabase, filledDatabase } from './filled-database.ts';
import { fileSource, import_call, importPorts, importSet } from './import-set.ts';
import type { Bench, BenchOptions } from './main.ts';
import { median, type Row, row } from './measure.ts';

const full_size = 1_000_000;

/** Items of reconciliation: what keeping them up to date costs, and what reading and rebuilding do. */
export const reconciliation: Bench = {
  name: 'reconciliation',
  async run(options) {
    const rows: Row[] = [];
    const databases: readonly DatabaseName[] = options.postgres ? ['sqlite', 'postgres'] : ['sqlite'];
    for (const name of databases) rows.push(await keepingUp(name, options));
    for (const name of databases) rows.push(...(await atFullSize(name, options)));
    return rows;
  },
};

/** The items of the clearings of a file, against the import of the file. */
async function keepingUp(name: DatabaseName, { quick, repetitions, log }: BenchOptions): Promise<Row> {
  const [cards, records] = quick ? [100, 2_000] : [2_000, 20_000];
  const set = importSet(cards, records);
  const imports: number[] = [];
  const follows: number[] = [];
  try {
    for (let repetition = 0; repetition < Math.min(repetitions, 3); repetition += 1) {
      log(`${records} records of IPM over ${cards} cards, imported and reconciled, ${name}`);
      const database = await filledDatabase(name, { cards, authorizations: 0, events: 0 });
      await set.authorize(database.persistence);
      await follow(database);
      const began_ms = performance.now();
      await importFile(importPorts(database.persistence), import_call, fileSource(set.path));
      imports.push((performance.now() - began_ms) / records);
      follows.push((await timeOf(() => follow(database))) / records);
      await database.dispose();
    }
  } finally {
    set.dispose();
  }
  return row(
    `items of the clearings of a file kept up to date, ${name}`,
    'µs',
    { ours: median(follows) * 1000, baseline: median(imports) * 1000, baseline_name: 'import of a clearing' },
    { kind: 'at_most', ratio: 0.25 },
  );
}

/** Reading and rebuilding a million items. */
async function atFullSize(name: DatabaseName, { growth_scale, quick, log }: BenchOptions): Promise<readonly Row[]> {
  const count = Math.max(1_000, Math.round(full_size * (growth_scale ?? 1)));
  const size = count.toLocaleString('en-US');
  log(`filling ${name} with ${size} purchases`);
  const database = await filledDatabase(name, { cards: Math.round(count / 10), authorizations: count, events: 0 });
  try {
    const ports = { unitOfWork: database.persistence.unitOfWork, clock };
    await database.execute(account_sql);
    await database.execute(clearingsSql(name, count));
    await database.settle();
    log(`keeping ${size} items up to date with their clearings, ${name}`);
    let kept_ms = await timeOf(() => follow(database));
    await database.execute(lines_sql);
    await database.settle();
    log(`keeping ${size} items up to date with their statement lines, ${name}`);
    kept_ms += await timeOf(() => follow(database));
    log(`rebuilding ${size} items, ${name}`);
    let different = 0;
    const rebuilt_ms = await timeOf(async () => {
      const rebuilt = await rebuild(ports, { company_id: 1, check_only: false });
      if (rebuilt.items !== count) throw new Error(`there are ${rebuilt.items} items of ${count} purchases`);
      different = rebuilt.items_different + rebuilt.entries_different + rebuilt.cells_different;
    });
    if (different > 0) throw new Error(`a rebuild found ${different} differences`);
    const rounds = quick ? 3 : 41;
    const first = await medianOf(rounds, () => page(database, {}));
    const at = (what: string, ours: number): Row =>
      row(
        `${what} of ${size} items, ${name}`,
        'µs',
        { ours, baseline: first, baseline_name: 'first page' },
        { kind: 'at_most', ratio: 5 },
      );
    const rows = [
      at('summary', await medianOf(rounds, () => summary(database))),
      at('page of breaks', await medianOf(rounds, () => page(database, { status: 'break' }))),
      at('page of a kind', await medianOf(rounds, () => page(database, { kind: 'amount' }))),
      at('page of a class', await medianOf(rounds, () => page(database, { class: 'over' }))),
      at('page of a card', await medianOf(rounds, () => page(database, { vcn_id: 7 }))),
    ];
    rows.push({
      ...row(
        `rebuild of an item among ${size}, ${name}`,
        'µs',
        { ours: (rebuilt_ms / count) * 1000, baseline: (kept_ms / count) * 1000, baseline_name: 'kept up to date' },
        null,
      ),
      note: 'the rebuild found no difference to what was kept up to date',
    });
    return rows;
  } finally {
    await database.dispose();
  }
}

/** Keeps the items up to date until nothing is left. */
export async function follow({ persistence: { unitOfWork } }: FilledDatabase): Promise<void> {
  for (let result: CaughtUp = { is_pending: true, taken: 1 }; result.is_pending; ) {
    result = await catchUpAll({ unitOfWork, clock }, { batch_max: 2_000 });
  }
}

async function page({ persistence }: FilledDatabase, filter: ItemFilter): Promise<void> {
  await persistence.unitOfWork.read((tx) => tx.reconciliation.list(1, filter, { limit: 50 }));
}

async function summary({ persistence }: FilledDatabase): Promise<void> {
  await persistence.unitOfWork.read((tx) => tx.reconciliation.cells(1));
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const began_ms = performance.now();
  await work();
  return performance.now() - began_ms;
}

/** Microseconds. */
async function medianOf(rounds: number, work: () => Promise<void>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) times.push((await timeOf(work)) * 1000);
  return median(times);
}

/** A clearing for each cleared authorization: one in 100 is over. */
function clearingsSql(name: DatabaseName, count: number): string {
  const no = name === 'sqlite' ? '0' : 'false';
  const padded = name === 'sqlite' ? `printf('%011d', id)` : `lpad(id::text, 11, '0')`;
  const date =
    name === 'sqlite'
      ? `date(1600000000 + id * 60, 'unixepoch')`
      : `to_char(to_timestamp(1600000000 + id * 60) at time zone 'UTC', 'YYYY-MM-DD')`;
  return `insert into tallystick_clearings (id, company_id, card_id, network_financial_transaction_id, cycle, clearing_type, partial,
      billing_amount, billing_currency, acquirer_reference_data, settlement_date, recorded_at_ms, event_id, authorization_id,
      match_rule, review, class, window_start_ms, cleared_effect, hold_effect, uses, details)
    select id, 1, card_id, 'OLD' || id, 'first_presentment', 'DEBIT', ${no}, 1200, 'USD', '74321066061' || ${padded} || '5',
      ${date}, 1600000000000 + id, id, id, 3, ${no}, case when id % 100 = 0 then 'over' else 'exact' end, 0, 1200, 1200, 0, '{}'
    from tallystick_authorizations where status = 'cleared' and id <= ${count}`;
}

/** An account whose statements cover all of the clearings. */
const account_sql = `insert into tallystick_accounts (id, company_id, number, currency, kind, created_at_ms,
    first_statement_as_of, first_statement_balance, last_statement_as_of, last_statement_balance)
  values (1, 1, '1000000001', 'USD', 'card', 0, '2020-09-01', 0, '2020-09-01', 0)`;

/** A card line for 49 of 50 clearings: one in 200 has another amount. */
const lines_sql = `insert into tallystick_statement_lines (id, account_id, company_id, currency, occurrence, bank_reference,
    booking_date, value_date, amount, bai_code, text, acquirer_reference, recorded_at_ms)
  select id, 1, 1, 'USD', 1, 'B' || id, settlement_date, settlement_date, case when id % 200 = 2 then -1250 else -1200 end,
    '824', 'MERCHANT', acquirer_reference_data, recorded_at_ms
  from tallystick_clearings where id % 50 <> 1`;
