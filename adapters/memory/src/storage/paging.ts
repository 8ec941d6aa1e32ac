import {
  afterDate,
  afterId,
  afterTime,
  comparePlaces,
  cursor,
  datedCursor,
  type Interval,
  type Page,
  type PageRequest,
  type RowPlace,
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
  const id = afterId(list, page);
  return pageBy(
    rows,
    page,
    () => 0,
    id === null ? null : { at: 0, id },
    (last) => cursor(list, last.id),
  );
}

/** Returns a page of the rows, newest or oldest first, by time and then by id. */
export function listByTime<Row extends TimedPlace>(
  list: string,
  rows: readonly Row[],
  page: PageRequest & { readonly oldest_first?: boolean },
): Page<Row> {
  const after = afterTime(list, page);
  const from = after === null ? null : { at: after.at_ms, id: after.id };
  return pageBy(
    rows,
    page,
    ({ at_ms }) => at_ms,
    from,
    (last) => timedCursor(list, last),
  );
}

/** Returns a page of the rows, newest first by a date, YYYY-MM-DD, and then by id. */
export function newestByDate<Row extends { readonly id: number }>(
  list: string,
  rows: readonly Row[],
  dateOf: (row: Row) => string,
  page: PageRequest,
): Page<Row> {
  const after = afterDate(list, page);
  const from = after === null ? null : { at: after.date, id: after.id };
  return pageBy(rows, page, dateOf, from, (last) => datedCursor(list, { date: dateOf(last), id: last.id }));
}

function pageBy<Row extends { readonly id: number }, At extends number | string>(
  rows: readonly Row[],
  { limit, offset = 0, oldest_first = false }: PageRequest & { readonly oldest_first?: boolean },
  atOf: (row: Row) => At,
  after: { readonly at: At; readonly id: number } | null,
  cursorOf: (last: Row) => string,
): Page<Row> {
  const isFirst = (a: { at: At; id: number }, b: { at: At; id: number }) =>
    (a.at > b.at || (a.at === b.at && a.id > b.id)) !== oldest_first;
  const place = (row: Row) => ({ at: atOf(row), id: row.id });
  const following = rows
    .filter((row) => after === null || (row.id !== after.id && isFirst(after, place(row))))
    .sort((a, b) => (isFirst(place(a), place(b)) ? -1 : 1));
  const items = following.slice(offset, offset + limit);
  const last = following.length > offset + limit ? items.at(-1) : undefined;
  return { items, next: last === undefined ? null : cursorOf(last) };
}

/** Returns up to `limit` rows with smaller version numbers, the newest first. */
export function newestBelow<Row extends { readonly version: number }>(
  rows: readonly Row[],
  version: number,
  limit: number,
): readonly Row[] {
  const older = rows.filter((row) => row.version < version);
  return older.sort((a, b) => b.version - a.version).slice(0, limit);
}

/** Returns up to `limit` rows with higher ids, in ascending order. */
export function oldestAfter<Row extends { readonly id: number }>(
  rows: readonly Row[],
  after_id: number,
  limit: number,
): readonly Row[] {
  const later = rows.filter(({ id }) => id > after_id);
  return later.sort((a, b) => a.id - b.id).slice(0, limit);
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

/** Up to `limit` rows after a place, in the order of their places. */
export function following<Row extends After, After>(
  rows: readonly Row[],
  placeOf: (row: After) => RowPlace,
  after: After | null,
  limit: number,
): readonly Row[] {
  const compare = (a: After, b: After): number => comparePlaces(placeOf(a), placeOf(b));
  return rows
    .filter((row) => after === null || compare(row, after) > 0)
    .sort(compare)
    .slice(0, limit);
}

/** Whether the value lies in the range, both ends included, or no range is wanted. */
export function isInRange<Value extends string | number>(
  value: Value | null,
  range: { readonly from?: Value | null | undefined; readonly to?: Value | null | undefined } | undefined,
): boolean {
  if (range === undefined) return true;
  return value !== null && value >= (range.from ?? value) && value <= (range.to ?? value);
}

/** Whether the time lies in the interval, or no interval is wanted. */
export function isWithin(at_ms: number, { from_ms, to_ms }: Interval = {}): boolean {
  return at_ms >= (from_ms ?? at_ms) && at_ms <= (to_ms ?? at_ms);
}
