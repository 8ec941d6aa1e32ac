import type { BreakDayChanges, Entry, ItemChanges, MatchCell, SummaryCell } from '@tallystick/reconciliation';
import { type ColumnKind, columnsOf } from '../../schema/tables/columns.ts';
import {
  ReconciliationBreakDay,
  ReconciliationCell,
  ReconciliationEntry,
  ReconciliationMatchCell,
} from '../../schema/tables/reconciliation.ts';
import { changeOf, changing_columns, item_columns, rowOf } from './item-rows.ts';
import type { Queries } from './query.ts';

/**
 * Writes the differences of items with a few statements of many rows. Postgres executes each while
 * the rows of the next one are made.
 */
export async function writeItems(
  queries: Queries,
  dialect: 'sqlite' | 'postgres',
  changes: ItemChanges,
): Promise<void> {
  const { company_id, inserted, updated, removed_ids, cells, match_cells, break_days } = changes;
  const write = dialect === 'sqlite' ? writeOnSqlite : writeOnPostgres;
  const cell_rows = cells.map((cell) => ({ company_id, ...cellRow(cell) }));
  const match_rows = match_cells.map((cell) => ({ company_id, ...matchCellRow(cell) }));
  const steps: readonly (() => Promise<void>)[] = [
    () => removeItems(queries, company_id, removed_ids),
    () => write(queries, 'insert_items', inserted.map(rowOf)),
    () => write(queries, 'update_items', updated.map(changeOf)),
    () => write(queries, 'insert_entries', changes.entries_inserted.map(entryRow)),
    () => write(queries, 'update_entries', changes.entries_updated.map(entryRow)),
    () => write(queries, 'remove_entries', changes.entries_removed.map(entryRow)),
    () => write(queries, 'add_cells', cell_rows),
    () => write(queries, 'remove_empty_cells', cell_rows),
    () => write(queries, 'add_match_cells', match_rows),
    () => write(queries, 'remove_empty_match_cells', match_rows),
    () => writeBreakDays(queries, write, company_id, break_days),
  ];
  // On SQLite a step is several statements, between which those of the next one would come.
  if (dialect === 'sqlite') for (const step of steps) await step();
  else await Promise.all(steps.map((step) => step()));
}

async function writeBreakDays(
  queries: Queries,
  write: typeof writeOnSqlite,
  company_id: number,
  break_days: BreakDayChanges | null,
): Promise<void> {
  if (break_days === null) return;
  const rows = break_days.added.map((added) => ({ company_id, ...added }));
  await write(queries, 'add_break_days', rows);
  await queries.run(
    'delete from tallystick_reconciliation_break_days where company_id = ? and day < ?',
    company_id,
    break_days.kept_from,
  );
}

async function removeItems(queries: Queries, company_id: number, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await queries.run(
    `delete from tallystick_reconciliation_items where company_id = ? and id in (select value from ${queries.from_ids})`,
    company_id,
    queries.list(ids),
  );
}

type Row = Readonly<Record<string, unknown>>;

interface Write {
  readonly columns: Readonly<Record<string, 'bigint' | ColumnKind>>;
  /** The statement with `rows` for the table of rows, whose columns have the alias `n`. */
  readonly text: (rows: string) => string;
}

const entry_columns = columnsOf(ReconciliationEntry);

const cell_columns = columnsOf(ReconciliationCell);

const break_day_columns = columnsOf(ReconciliationBreakDay);

const match_cell_columns = columnsOf(ReconciliationMatchCell);

const names = (columns: Readonly<Record<string, unknown>>) => Object.keys(columns).map((name) => `"${name}"`);
const changed = Object.keys(changing_columns).filter((name) => name !== 'id');

const writes = {
  insert_items: {
    columns: item_columns,
    text: (rows) =>
      `insert into tallystick_reconciliation_items (${names(item_columns)}) select ${names(item_columns)} from ${rows} where true`,
  },
  update_items: {
    columns: changing_columns,
    text: (rows) =>
      `update tallystick_reconciliation_items set ${changed.map((name) => `"${name}" = n."${name}"`)} from ${rows}
        where tallystick_reconciliation_items.id = n.id`,
  },
  // With a clause for conflicts, Postgres would take almost twice as long.
  insert_entries: {
    columns: entry_columns,
    text: (rows) =>
      `insert into tallystick_reconciliation_entries (${names(entry_columns)}) select ${names(entry_columns)} from ${rows} where true`,
  },
  update_entries: {
    columns: entry_columns,
    text: (rows) =>
      `update tallystick_reconciliation_entries set item_id = n.item_id from ${rows}
        where tallystick_reconciliation_entries.company_id = n.company_id and tallystick_reconciliation_entries."key" = n."key"
          and tallystick_reconciliation_entries.kind = n.kind and tallystick_reconciliation_entries.record_id = n.record_id`,
  },
  remove_entries: {
    columns: entry_columns,
    text: (rows) =>
      `delete from tallystick_reconciliation_entries where (company_id, "key", kind, record_id) in
        (select company_id, "key", kind, record_id from ${rows})`,
  },
  add_cells: {
    columns: cell_columns,
    text: (rows) =>
      `insert into tallystick_reconciliation_cells (${names(cell_columns)}) select ${names(cell_columns)} from ${rows}
        where true on conflict (company_id, currency, status, kind, class, due_date) do update
        set count = tallystick_reconciliation_cells.count + excluded.count, sum = tallystick_reconciliation_cells.sum + excluded.sum`,
  },
  remove_empty_cells: {
    columns: cell_columns,
    text: (rows) =>
      `delete from tallystick_reconciliation_cells where count = 0 and (company_id, currency, status, kind, class, due_date) in
        (select company_id, currency, status, kind, class, due_date from ${rows})`,
  },
  add_break_days: {
    columns: break_day_columns,
    text: (rows) =>
      `insert into tallystick_reconciliation_break_days (${names(break_day_columns)}) select ${names(break_day_columns)}
        from ${rows} where true on conflict (company_id, day, currency, due_date) do update
        set count = tallystick_reconciliation_break_days.count + excluded.count`,
  },
  add_match_cells: {
    columns: match_cell_columns,
    text: (rows) =>
      `insert into tallystick_reconciliation_match_cells (${names(match_cell_columns)}) select ${names(match_cell_columns)}
        from ${rows} where true on conflict (company_id, settlement_date, rule, side) do update
        set count = tallystick_reconciliation_match_cells.count + excluded.count`,
  },
  remove_empty_match_cells: {
    columns: match_cell_columns,
    text: (rows) =>
      `delete from tallystick_reconciliation_match_cells where count = 0 and (company_id, settlement_date, rule, side) in
        (select company_id, settlement_date, rule, side from ${rows})`,
  },
} as const satisfies Readonly<Record<string, Write>>;

type WriteName = keyof typeof writes;

async function writeOnPostgres({ run }: Queries, name: WriteName, rows: readonly Row[]): Promise<void> {
  if (rows.length === 0) return;
  const { columns, text } = writes[name];
  const definitions = Object.entries(columns).map(
    ([column, type]) => `"${column}" ${type === 'integer' ? 'bigint' : type}`,
  );
  await run(text(`json_to_recordset(?::json) as n (${definitions})`), JSON.stringify(rows));
}

/** The numbers of rows of one statement: each is prepared once. SQLite takes 32,766 parameters. */
const rows_of_statement = [64, 8, 1];

/** Values as parameters: to read them from JSON would take SQLite longer than to write them. */
async function writeOnSqlite({ run }: Queries, name: WriteName, rows: readonly Row[]): Promise<void> {
  const { columns } = writes[name];
  const column_names = Object.keys(columns);
  let from = 0;
  for (const count of rows_of_statement) {
    for (; rows.length - from >= count; from += count) {
      const values: unknown[] = [];
      for (const row of rows.slice(from, from + count))
        for (const column of column_names) values.push(row[column] ?? null);
      await run(sqliteText(name, count), ...values);
    }
  }
}

const sqlite_texts = new Map<string, string>();

function sqliteText(name: WriteName, count: number): string {
  const known = sqlite_texts.get(`${name} ${count}`);
  if (known !== undefined) return known;
  const { columns, text } = writes[name];
  const fields = Object.keys(columns).map((column, at) => `column${at + 1} as "${column}"`);
  const row = `(${fields.map(() => '?').join(', ')})`;
  const made = text(`(select ${fields} from (values ${Array(count).fill(row).join(', ')})) as n`);
  sqlite_texts.set(`${name} ${count}`, made);
  return made;
}

function entryRow({ company_id, key, record, item_id }: Entry): Row {
  return { company_id, key, kind: record.kind, record_id: record.id, item_id };
}

function matchCellRow({ settlement_date, rule, side, count }: MatchCell) {
  return { settlement_date: settlement_date ?? '', rule: rule ?? '', side, count };
}

function cellRow({ kind, class: its_class, due_date, ...cell }: SummaryCell) {
  return { ...cell, kind: kind ?? '', class: its_class ?? '', due_date: due_date ?? '' };
}
