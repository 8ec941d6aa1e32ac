import { type RawBuilder, sql } from 'kysely';
import type { Session, Tables } from '../../connection/session.ts';
import type { Dialect } from '../../schema/dialect.ts';
import type { ColumnKind } from '../../schema/tables/columns.ts';
import { forEach } from './for-each.ts';
import { jsonRows } from './json-rows.ts';

type Columns = Readonly<Record<string, ColumnKind>>;

/** The insert of these rows in their order, as one statement with one parameter. */
export function insertRows(
  dialect: Dialect,
  table: keyof Tables & string,
  columns: Columns,
  rows: readonly object[],
): RawBuilder<unknown> {
  const names = sql.join(Object.keys(columns).map((name) => sql.ref(name)));
  const numbered = jsonRows(
    dialect,
    { ...columns, row_number: 'integer' },
    rows.map((row, row_number) => ({ ...row, row_number })),
  );
  return sql`insert into ${sql.table(table)} (${names}) select ${names} from ${numbered} as n
    where true order by n.row_number`;
}

/** Inserts these rows in their order, and returns these columns of each, in no order. */
export async function insertAll<Row>(
  session: Session,
  table: keyof Tables & string,
  columns: Columns,
  rows: readonly object[],
  returned: readonly (keyof Row & string)[] = [],
): Promise<readonly Row[]> {
  const returning = returned.length === 0 ? '' : `returning ${returned.join(', ')}`;
  if (session.dialect === 'postgres') {
    const insert = insertRows(session.dialect, table, columns, rows);
    return (await sql<Row>`${insert} ${sql.raw(returning)}`.execute(session.db)).rows;
  }
  const names = Object.keys(columns);
  const places = names.map(() => '?').join(', ');
  return forEach(session, `insert into ${table} (${names.join(', ')}) values (${places}) ${returning}`, names, rows);
}

/** The insert of these rows; one whose key is stored replaces that row. Keys must differ. */
export function upsertRows(
  dialect: Dialect,
  table: keyof Tables & string,
  columns: Columns,
  key: readonly string[],
  rows: readonly object[],
): RawBuilder<unknown> {
  const replaced = Object.keys(columns).filter((name) => !key.includes(name));
  const changes = sql.join(replaced.map((name) => sql`${sql.ref(name)} = excluded.${sql.ref(name)}`));
  const names = sql.join(key.map((name) => sql.ref(name)));
  return sql`${insertRows(dialect, table, columns, rows)} on conflict (${names}) do update set ${changes}`;
}
