import {
  afterDate,
  afterId,
  afterTime,
  cursor,
  datedCursor,
  type Interval,
  type Page,
  type PageRequest,
  type TimedPlace,
  timedCursor,
} from '@tallystick/kernel';

/**
 * Returns a page of the rows, newest first by id. The cursor is the last id of the previous page
 * and names its list. Any other text is refused (`invalid_query`).
 */
export function newestFirst<Row extends { readonly id: number }>(
  list: string,
  rows: readonly Row[],
  page: PageRequest,
): Page<Row> {
  const after = afterId(list, page);
  const offset = page.offset ?? 0;
  const following = rows.filter(({ id }) => after === null || id < after).sort((a, b) => b.id - a.id);
  const items = following.slice(offset, offset + page.limit);
  const last = following.length > offset + page.limit ? items.at(-1) : undefined;
  return { items, next: last === undefined ? null : cursor(list, last.id) };
}

/** The same for a list that is ordered by time, and by id at one time. */
export function newestFirstByTime<Row extends TimedPlace>(
  list: string,
  rows: readonly Row[],
  page: PageRequest,
): Page<Row> {
  const after = afterTime(list, page);
  const offset = page.offset ?? 0;
  const isAfter = ({ at_ms, id }: Row) =>
    after === null || at_ms < after.at_ms || (at_ms === after.at_ms && id < after.id);
  const following = rows.filter(isAfter).sort((a, b) => b.at_ms - a.at_ms || b.id - a.id);
  const items = following.slice(offset, offset + page.limit);
  const last = following.length > offset + page.limit ? items.at(-1) : undefined;
  return { items, next: last === undefined ? null : timedCursor(list, last) };
}

/** The same for a list that is ordered by a date, YYYY-MM-DD, and by id at one date. */
export function newestByDate<Row extends { readonly id: number }>(
  list: string,
  rows: readonly Row[],
  dateOf: (row: Row) => string,
  page: PageRequest,
): Page<Row> {
  const after = afterDate(list, page);
  const offset = page.offset ?? 0;
  const compare = (a: Row, b: Row) => (dateOf(a) === dateOf(b) ? b.id - a.id : dateOf(a) < dateOf(b) ? 1 : -1);
  const isAfter = (row: Row) =>
    after === null || dateOf(row) < after.date || (dateOf(row) === after.date && row.id < after.id);
  const following = rows.filter(isAfter).sort(compare);
  const items = following.slice(offset, offset + page.limit);
  const last = following.length > offset + page.limit ? items.at(-1) : undefined;
  return { items, next: last === undefined ? null : datedCursor(list, { date: dateOf(last), id: last.id }) };
}

/** Returns up to `limit` rows from before the instant, the oldest first. */
export function oldestBefore<Row>(
  rows: readonly Row[],
  happenedAt: (row: Row) => number | null,
  before_ms: number,
  limit: number,
): readonly Row[] {
  const at = (row: Row) => happenedAt(row) ?? Number.POSITIVE_INFINITY;
  return rows
    .filter((row) => at(row) < before_ms)
    .sort((a, b) => at(a) - at(b))
    .slice(0, limit);
}

/** Whether the time lies in the interval, or no interval is wanted. */
export function isWithin(at_ms: number, { from_ms, to_ms }: Interval = {}): boolean {
  return at_ms >= (from_ms ?? at_ms) && at_ms <= (to_ms ?? at_ms);
}
