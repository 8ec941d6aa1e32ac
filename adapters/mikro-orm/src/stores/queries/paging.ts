import {
  afterDate,
  afterId,
  afterTime,
  cursor,
  datedCursor,
  type Page,
  type PageRequest,
  type TimedPlace,
  timedCursor,
} from '@tallystick/kernel';
import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import type { Session } from '../../connection/session.ts';

/**
 * A page of the query, newest first by `id`, with each row converted to an item. The cursor is the
 * last id of the previous page, so a page costs the same at any depth. It names its list; any other
 * text is refused (`invalid_query`).
 */
export async function readNewestFirst<
  Database,
  Table extends keyof Database,
  Row extends { readonly id: number },
  Item,
>(
  list: string,
  query: SelectQueryBuilder<Database, Table, Row>,
  page: PageRequest,
  item: (row: Row) => Item,
): Promise<Page<Item>> {
  const after = afterId(list, page);
  let cut = query.orderBy(sql`id`, 'desc').limit(page.limit + 1);
  if (after !== null) cut = cut.where(sql<boolean>`id < ${after}`);
  if (page.offset !== undefined) cut = cut.offset(page.offset);
  return pageOf(list, (await cut.execute()) as Row[], page.limit, item);
}

/**
 * The page at the start of these rows. There is one row more than the limit when another page
 * follows.
 */
export function pageOf<Row extends { readonly id: number }, Item>(
  list: string,
  rows: readonly Row[],
  limit: number,
  item: (row: Row) => Item,
): Page<Item> {
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return { items: shown.map(item), next: last === undefined ? null : cursor(list, last.id) };
}

/** A page of a list that is ordered by `at_ms`, and by `id` at one time, newest first. */
export async function readNewestFirstByTime<Database, Table extends keyof Database, Row extends TimedPlace, Item>(
  list: string,
  query: SelectQueryBuilder<Database, Table, Row>,
  page: PageRequest,
  item: (row: Row) => Item,
): Promise<Page<Item>> {
  const after = afterTime(list, page);
  let cut = query
    .orderBy(sql.ref('at_ms'), 'desc')
    .orderBy(sql.ref('id'), 'desc')
    .limit(page.limit + 1);
  if (after !== null) cut = cut.where(sql<boolean>`(at_ms, id) < (${after.at_ms}, ${after.id})`);
  if (page.offset !== undefined) cut = cut.offset(page.offset);
  const rows = (await cut.execute()) as Row[];
  const last = rows.length > page.limit ? rows[page.limit - 1] : undefined;
  return { items: rows.slice(0, page.limit).map(item), next: last === undefined ? null : timedCursor(list, last) };
}

/**
 * A page of a list that is ordered by a date, YYYY-MM-DD in this column, and by `id` at one
 * date.
 */
export async function readNewestByDate<
  Database,
  Table extends keyof Database,
  Row extends { readonly id: number } & { readonly [Name in Column]: string },
  Column extends string,
>(
  { dialect }: Pick<Session, 'dialect'>,
  list: string,
  query: SelectQueryBuilder<Database, Table, Row>,
  column: Column,
  page: PageRequest,
): Promise<Page<Row>> {
  const after = afterDate(list, page);
  const date = sql.ref(column);
  const read = async (condition: RawBuilder<boolean>, count: number): Promise<Row[]> => {
    const cut = query.where(condition).orderBy(date, 'desc').orderBy(sql.ref('id'), 'desc').limit(count);
    return (await (page.offset === undefined ? cut : cut.offset(page.offset)).execute()) as Row[];
  };
  const rows: Row[] = [];
  if (after === null) rows.push(...(await read(sql`true`, page.limit + 1)));
  else if (dialect === 'postgres') {
    rows.push(...(await read(sql`(${date}, id) < (${after.date}, ${after.id})`, page.limit + 1)));
  } else {
    // SQLite finds no id by a comparison of pairs, because an id is its row number: it would read
    // all of the cursor's date up to the cursor.
    rows.push(...(await read(sql`${date} = ${after.date} and id < ${after.id}`, page.limit + 1)));
    if (rows.length <= page.limit) {
      rows.push(...(await read(sql`${date} < ${after.date}`, page.limit + 1 - rows.length)));
    }
  }
  const last = rows.length > page.limit ? rows[page.limit - 1] : undefined;
  const next = last === undefined ? null : datedCursor(list, { date: last[column], id: last.id });
  return { items: rows.slice(0, page.limit), next };
}
