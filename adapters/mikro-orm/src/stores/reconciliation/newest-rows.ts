import type { PageRequest } from '@tallystick/kernel';
import type { Queries } from './query.ts';

/** A condition with its parameters. */
export interface Condition {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** A table that is listed by a column and then by id, both falling. */
export interface ListedTable {
  readonly name: string;
  /** The column of the order. */
  readonly at: string;
}

/** The place of a row in the list. */
export interface Place {
  readonly at: number | string;
  readonly id: number;
}

/** How the rows that fit a filter are found. */
export interface Search {
  /**
   * Ranges of indexes in the order of the list, which together have all rows that may fit, and what
   * else must hold of these.
   */
  readonly ranges: readonly Condition[];
  readonly others: readonly Condition[];
  /**
   * Further ways to the rows that fit, for filters that few rows fit: a query of `at` and `id` with
   * a limit, and what else must hold of the rows. `before` is a condition on both columns.
   */
  readonly few: readonly Few[];
  /** The most rows that are looked at, where to compare one takes long. */
  readonly looked_at_max?: number;
}

export interface Few {
  readonly rows: (before: Condition, limit: number) => Condition;
  readonly others: readonly Condition[];
}

/**
 * How many rows a page with several filters looks at. Few at first: they may fill it. A page for
 * which they do not suffice is shorter than its limit, and the next one continues behind them.
 */
const looked_at: readonly number[] = [200, 2_000, 20_000];

/** The same for a filter by a reference: each comparison reads other records. */
export const reference_looked_at_max = 2_000;

/** A page of the rows that the search finds after this place, from the first one when it is null. */
export async function newestRows<Row extends { readonly id: number }>(
  queries: Queries,
  { name, at }: ListedTable,
  { ranges, others, few, looked_at_max = Number.POSITIVE_INFINITY }: Search,
  after: Place | null,
  { limit, offset = 0 }: PageRequest,
): Promise<{ readonly rows: readonly Row[]; readonly next: Place | null }> {
  const newest_first = `order by ${at} desc, id desc`;
  const wanted = offset + limit + 1;

  async function rowsOf(places: Condition): Promise<readonly Row[]> {
    const text = `select t.* from (${places.text}) k cross join ${name} t where t.id = k.id order by t.${at} desc, t.id desc`;
    return await queries.all<Row>(text, ...places.values);
  }

  function pageOf(rows: readonly Row[], looked_through: Place | null) {
    const shown = rows.slice(offset, offset + limit);
    const last = rows.length === wanted ? shown.at(-1) : undefined;
    return { rows: shown, next: last === undefined ? looked_through : placeOf(last) };
  }

  const placeOf = (row: Row): Place => ({ at: row[at as keyof Row] as Place['at'], id: row.id });

  async function amongFew(size: number): Promise<readonly Row[] | null> {
    for (const one of few) {
      const found = one.rows(beforePlace(at, after), size + 1);
      const [counted] = await queries.all<{ count: number }>(
        `select count(*) as count from (${found.text}) f`,
        ...found.values,
      );
      if (Number(counted!.count) > size) continue;
      const rest = joined(one.others);
      const matching =
        rest.text === ''
          ? `select ${at}, id from (${found.text}) f ${newest_first} limit ?`
          : `select i.${at}, i.id from (select id as row_id from (${found.text}) f) k cross join ${name} i where i.id = k.row_id and ${rest.text} order by i.${at} desc, i.id desc limit ?`;
      return await rowsOf({ text: matching, values: [...found.values, ...rest.values, wanted] });
    }
    return null;
  }

  const sizes = others.length === 0 ? [wanted] : looked_at.filter((size) => size <= looked_at_max);
  for (const size of sizes) {
    const found = others.length === 0 ? null : await amongFew(size);
    if (found !== null) return pageOf(found, null);
    const examined = Math.max(size, wanted);
    const walked = walk(name, at, ranges, after, examined);
    const rest = joined(others);
    const rows = await rowsOf({
      text: `select ${at}, id from (${walked.text}) i ${rest.text === '' ? '' : `where ${rest.text}`} ${newest_first} limit ?`,
      values: [...walked.values, ...rest.values, wanted],
    });
    if (rows.length === wanted || others.length === 0) return pageOf(rows, null);
    // The last row that was looked at, when there are more behind it.
    const [last] = await queries.all<Row>(
      `select ${at}, id from (${walked.text}) i ${newest_first} limit 1 offset ?`,
      ...walked.values,
      examined - 1,
    );
    if (last === undefined) return pageOf(rows, null);
    if (size === sizes.at(-1)) return pageOf(rows, placeOf(last));
  }
  throw new Error('unreachable');
}

/** The condition that a row comes after this place. */
function beforePlace(at: string, after: Place | null): Condition {
  if (after === null) return { text: 'true', values: [] };
  return { text: `(${at} < ? or (${at} = ? and id < ?))`, values: [after.at, after.at, after.id] };
}

/**
 * The newest rows of all ranges after a place. A range is read in two parts: SQLite finds no id by a
 * comparison of pairs, because an id is its row number.
 */
function walk(name: string, at: string, ranges: readonly Condition[], after: Place | null, limit: number): Condition {
  const newest_first = `order by ${at} desc, id desc`;
  const beyond: readonly (readonly Condition[])[] =
    after === null
      ? [[]]
      : [
          [
            { text: `${at} = ?`, values: [after.at] },
            { text: 'id < ?', values: [after.id] },
          ],
          [{ text: `${at} < ?`, values: [after.at] }],
        ];
  const parts = ranges.flatMap((range) =>
    beyond.map((conditions): Condition => {
      const { text, values } = joined([range, ...conditions]);
      return {
        text: `select * from (select * from ${name} where ${text} ${newest_first} limit ?) r`,
        values: [...values, limit],
      };
    }),
  );
  if (parts.length === 1) return parts[0]!;
  return {
    text: `${parts.map(({ text }) => text).join(' union all ')} ${newest_first} limit ?`,
    values: [...parts.flatMap(({ values }) => values), limit],
  };
}

export function joined(conditions: readonly Condition[]): Condition {
  return {
    text: conditions.map(({ text }) => text).join(' and '),
    values: conditions.flatMap(({ values }) => values),
  };
}

/** That a column is this value; no condition without one. */
export function equal(column: string, value: string | number | undefined): readonly Condition[] {
  return value === undefined ? [] : [{ text: `${column} = ?`, values: [value] }];
}

/** That a column lies in the range; no condition without one. */
export function within(
  column: string,
  range: { readonly from?: string | number; readonly to?: string | number } | undefined,
): readonly Condition[] {
  if (range === undefined) return [];
  const { from, to } = range;
  return [
    { text: `${column} is not null`, values: [] },
    ...(from === undefined ? [] : [{ text: `${column} >= ?`, values: [from] }]),
    ...(to === undefined ? [] : [{ text: `${column} <= ?`, values: [to] }]),
  ];
}
