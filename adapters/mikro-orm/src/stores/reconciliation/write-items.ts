import type { BreakDayChanges, Entry, ItemChanges, MatchCell, SummaryCell } from '@tallystick/reconciliation';
import { type ColumnKind, columnsOf } from '../../schema/tables/columns.ts';
import {
  ReconciliationBreakDay,
  ReconciliationCell,
  ReconciliationEntry,
  ReconciliationMatchCell,
} from '../../schema/tables/reconciliation.ts';
import { changing_columns, item_columns, rowOf } from './item-rows.ts';
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
  const cell_rows = cells.map((cell) => cellRow(company_id, cell));
  const match_rows = match_cells.map((cell) => cellRow(company_id, cell));
  const steps: readonly (() => Promise<void>)[] = [
    () => removeItems(queries, company_id, removed_ids),
    () => write(queries, 'insert_items', inserted.map(rowOf)),
    () => write(queries, 'update_items', updated.map(rowOf)),
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
  await write(queries, 'remove_empty_break_days', rows);
  await queries.run(
    'delete from tallystick_reconciliation_break_days where company_id = ? and day < ?',
    company_id,
    break_days.kept_from,
  );
}

async function removeItems(queries: Queries, company_id: number, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await queries.run(
    `delete from tallystick_reconciliation_items where +company_id = ? and id in (select value from ${queries.from_ids})`,
    company_id,
    queries.list(ids),
  );
}

type Row = Readonly<Record<string, unknown>>;

interface Write {
  readonly columns: Readonly<Record<string, ColumnKind>>;
  /** The statement with `rows` for the table of rows, whose columns have the alias `n`. */
  readonly text: (rows: string) => string;
}

const items = 'tallystick_reconciliation_items';
const entries = 'tallystick_reconciliation_entries';
const entry_columns = columnsOf(ReconciliationEntry);
const entry_keys = ['company_id', '"key"', 'kind', 'record_id'];
const changed = namesOf(changing_columns).filter((name) => name !== '"id"');

const writes = {
  insert_items: inserting(items, item_columns),
  update_items: {
    columns: changing_columns,
    text: (rows) =>
      `update ${items} set ${changed.map((name) => `${name} = n.${name}`)} from ${rows} where ${items}.id = n.id`,
  },
  // With a clause for conflicts, Postgres would take almost twice as long.
  insert_entries: inserting(entries, entry_columns),
  update_entries: {
    columns: entry_columns,
    text: (rows) =>
      `update ${entries} set item_id = n.item_id from ${rows}
        where ${entry_keys.map((name) => `${entries}.${name} = n.${name}`).join(' and ')}`,
  },
  remove_entries: {
    columns: entry_columns,
    text: (rows) => `delete from ${entries} where (${entry_keys}) in (select ${entry_keys} from ${rows})`,
  },
  ...adding('cells', ReconciliationCell),
  ...adding('match_cells', ReconciliationMatchCell),
  ...adding('break_days', ReconciliationBreakDay),
} as const satisfies Readonly<Record<string, Write>>;

function namesOf(columns: Write['columns']): readonly string[] {
  return Object.keys(columns).map((name) => `"${name}"`);
}

function inserting(table: string, columns: Write['columns']): Write {
  const names = namesOf(columns);
  return { columns, text: (rows) => `insert into ${table} (${names}) select ${names} from ${rows} where true` };
}

/** Adds counts and sums to those with the same key, and removes rows that count nothing. */
function adding<Name extends string>(name: Name, entity: Parameters<typeof columnsOf>[0]) {
  const table = `tallystick_reconciliation_${name}`;
  const { columns, text } = inserting(table, columnsOf(entity));
  const isSum = (column: string) => column === '"count"' || column === '"sum"';
  const keys = namesOf(columns).filter((column) => !isSum(column));
  const added = namesOf(columns)
    .filter(isSum)
    .map((column) => `${column} = ${table}.${column} + excluded.${column}`);
  const add: Write = { columns, text: (rows) => `${text(rows)} on conflict (${keys}) do update set ${added}` };
  const remove: Write = {
    columns,
    text: (rows) => `delete from ${table} where count = 0 and (${keys}) in (select ${keys} from ${rows})`,
  };
  return { [`add_${name}`]: add, [`remove_empty_${name}`]: remove } as Readonly<
    Record<`add_${Name}` | `remove_empty_${Name}`, Write>
  >;
}

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

/** What a cell does not have is ''. */
function cellRow(company_id: number, cell: SummaryCell | MatchCell): Row {
  return { company_id, ...Object.fromEntries(Object.entries(cell).map(([name, value]) => [name, value ?? ''])) };
}
