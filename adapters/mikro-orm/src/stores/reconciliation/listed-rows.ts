import type { PageRequest } from '@tallystick/kernel';
import { lookedUp } from '../../schema/look-ups.ts';
import type { Queries } from './query.ts';

export interface Condition {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** A table that is listed by a column and then by id, both falling, or both rising. */
export interface ListedTable {
  readonly name: string;
  /** The column of the order. */
  readonly at: string;
  /** The oldest rows come first. */
  readonly is_rising?: boolean;
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
  /** The most rows that a page compares. */
  readonly compared_max?: number;
}

export interface Few {
  readonly rows: (before: Condition, limit: number) => Condition;
  /** Conditions on further columns of `rows`, which its index also has. */
  readonly covered?: readonly Condition[];
  readonly others: readonly Condition[];
  /** The most rows that this way sorts. An index with both columns sorts many in little time. */
  readonly sorted_max?: number;
}

/** Rows in a range of an index. */
export function fewWhere(
  { name, at }: ListedTable,
  range: readonly Condition[],
  others: readonly Condition[],
  columns = `${at}, id`,
): Few {
  return {
    rows: (before, limit) => {
      const { text, values } = joined([...range, before]);
      return { text: `select ${columns} from ${name} where ${text} limit ?`, values: [...values, limit] };
    },
    others,
  };
}

/** Some of the places that a query finds. */
export function firstOf({ at }: ListedTable, places: Condition, before: Condition, limit: number): Condition {
  return {
    text: `select ${at}, id from (${places.text}) c where ${before.text} limit ?`,
    values: [...places.values, ...before.values, limit],
  };
}

/** The places that any of these queries finds, each once. */
export function union({ at }: ListedTable, parts: readonly Condition[], columns = `${at}, id`): Condition {
  return {
    text: parts.map(({ text }, place) => `select ${columns} from (${text}) u${place}`).join(' union '),
    values: parts.flatMap(({ values }) => values),
  };
}

/** Each may be on a page of its own in the file of SQLite: about 10 ms. */
const compared_max_default = 2_000;
/** Read from an index: about 5 ms of SQLite. */
const sorted_max_default = 20_000;

/**
 * A page of the rows that the search finds after this place, from the first one when it is null. A
 * page for which the bounds do not suffice is shorter than its limit, and the next one continues
 * behind the rows that were compared.
 */
export async function listedRows<Row extends { readonly id: number }>(
  queries: Queries,
  table: ListedTable,
  { ranges, others, few, compared_max = compared_max_default }: Search,
  after: Place | null,
  { limit, offset = 0 }: PageRequest,
): Promise<{ readonly rows: readonly Row[]; readonly next: Place | null }> {
  const { name, at } = table;
  const in_order = orderOf(table);
  const wanted = offset + limit + 1;
  const placeOf = (row: Row): Place => ({ at: row[at as keyof Row] as Place['at'], id: row.id });
  const walk: Way = {
    places: (size) => firstPlaces(table, ranges, after, size),
    others,
    count: Number.POSITIVE_INFINITY,
  };

  /** The page from the first places of a way; whether it is full, or has all rows that fit. */
  async function compare({ places, others: rest, count: found }: Way, size_max: number) {
    const size = rest.length === 0 ? wanted : Math.max(wanted, size_max);
    const { text, values } = places(size);
    const looked_up = queries.is_postgres
      ? `lateral ${lookedUp(name, 'id = k.row_id')} t`
      : `${name} t on t.id = k.row_id`;
    const condition = joined(rest);
    const rows = await queries.all<Row>(
      `select t.* from (select id as row_id from (${text}) p) k cross join ${looked_up}
        ${condition.text === '' ? '' : `where ${condition.text}`}
        ${orderOf(table, 't.')} limit ?`,
      ...values,
      ...condition.values,
      wanted,
    );
    const shown = rows.slice(offset, offset + limit);
    if (rows.length === wanted) return { rows: shown, next: placeOf(shown.at(-1)!), is_done: true };
    if (found <= size) return { rows: shown, next: null, is_done: true };
    // The last row that was compared, when there may be more behind it.
    const [last] = await queries.all<Row>(
      `select ${at}, id from (${text}) k ${in_order} limit 1 offset ?`,
      ...values,
      size - 1,
    );
    return { rows: shown, next: last === undefined ? null : placeOf(last), is_done: last === undefined };
  }

  async function count(rows: Condition): Promise<number> {
    const [counted] = await queries.all<{ count: number }>(
      `select count(*) as count from (${rows.text}) f`,
      ...rows.values,
    );
    return Number(counted!.count);
  }

  // A tenth fills the page when many rows fit.
  const first = await compare(walk, compared_max / 10);
  if (first.is_done) return first;
  let best = walk;
  let fewest = sorted_max_default + 1;
  for (const { rows, covered = [], others: rest, sorted_max = sorted_max_default } of few) {
    const least = Math.min(fewest, sorted_max + 1);
    const found = await count(rows(beyondPlace(table, after), least));
    if (found >= least) continue;
    fewest = found;
    best = {
      places: (size) => {
        const { text, values } = rows(beyondPlace(table, after), found);
        const fitting = joined([always, ...covered]);
        return {
          text: `select ${at}, id from (${text}) f where ${fitting.text} ${in_order} limit ?`,
          values: [...values, ...fitting.values, size],
        };
      },
      others: rest,
      count: found,
    };
  }
  return await compare(best, compared_max);
}

/** The first places of a range of rows, and what must hold of these rows. */
interface Way {
  readonly places: (limit: number) => Condition;
  readonly others: readonly Condition[];
  /** How many places it has; infinite when it was not counted. */
  readonly count: number;
}

function orderOf({ at, is_rising }: ListedTable, prefix = ''): string {
  const direction = is_rising ? 'asc' : 'desc';
  return `order by ${prefix}${at} ${direction}, ${prefix}id ${direction}`;
}

const always: Condition = { text: 'true', values: [] };

/** The condition that a row comes after this place. */
function beyondPlace({ at, is_rising }: ListedTable, after: Place | null): Condition {
  if (after === null) return always;
  const beyond = is_rising ? '>' : '<';
  return { text: `(${at} ${beyond} ? or (${at} = ? and id ${beyond} ?))`, values: [after.at, after.at, after.id] };
}

/**
 * The first places of all ranges after a place. A range is read in two parts: SQLite finds no id by
 * a comparison of pairs, because an id is its row number.
 */
function firstPlaces(table: ListedTable, ranges: readonly Condition[], after: Place | null, limit: number): Condition {
  const { name, at, is_rising } = table;
  const in_order = orderOf(table);
  const direction = is_rising ? '>' : '<';
  const beyond: readonly (readonly Condition[])[] =
    after === null
      ? [[]]
      : [
          [
            { text: `${at} = ?`, values: [after.at] },
            { text: `id ${direction} ?`, values: [after.id] },
          ],
          [{ text: `${at} ${direction} ?`, values: [after.at] }],
        ];
  const parts = ranges.flatMap((range) =>
    beyond.map((conditions): Condition => {
      const { text, values } = joined([range, ...conditions]);
      return {
        text: `select ${at}, id from (select ${at}, id from ${name} where ${text} ${in_order} limit ?) r`,
        values: [...values, limit],
      };
    }),
  );
  if (parts.length === 1) return parts[0]!;
  return {
    text: `${parts.map(({ text }) => text).join(' union all ')} ${in_order} limit ?`,
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
