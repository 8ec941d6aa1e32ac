import { invalidQuery } from '../errors.ts';
import { fromBase64Url, toBase64Url } from './bytes.ts';

export type RowPlace = readonly (string | number)[];

/**
 * What each part of a place is:
 *
 * - `id`: an integer from 0
 * - `date`: YYYY-MM-DD
 * - `name`: 1 to 64 characters of `A-Za-z0-9._-`
 */
export type PlacePart = 'id' | 'date' | 'name';

/** A list that is read in both directions. */
export interface TwoWayList {
  /** Its name, which its cursors hold. */
  readonly list: string;
  readonly parts: readonly PlacePart[];
}

/** Where a page begins: after the place in the order of the list, or before it. */
export interface PageStart {
  readonly direction: 'next' | 'prev';
  readonly place: RowPlace;
}

/**
 * The start that the cursor of a request holds; null: the first page. Refuses (`invalid_query`,
 * path `page`) text that is not a cursor of this list.
 */
export function pageStart({ list, parts }: TwoWayList, { cursor }: TwoWayPageRequest): PageStart | null {
  if (cursor === undefined) return null;
  const values = valuesOf(cursor);
  const [name, direction, ...place] = values;
  const is_place = place.length === parts.length && parts.every((part, at) => isPart(part, place[at]));
  const is_start = name === list && (direction === 'next' || direction === 'prev') && is_place;
  if (!is_start || encode(values) !== cursor) {
    throw invalidQuery({ path: 'page', message: 'must be the `next` or `prev` of an earlier page of this list' });
  }
  return { direction, place: place as RowPlace };
}

/**
 * The page of these rows, which were read from the start on: in the order of the list, or against
 * it for the page before a place. There is one row more than the limit when another page follows
 * in that direction.
 */
export function twoWayPage<Row>(
  { list }: TwoWayList,
  start: PageStart | null,
  rows: readonly Row[],
  limit: number,
  placeOf: (row: Row) => RowPlace,
): TwoWayPage<Row> {
  const is_back = start?.direction === 'prev';
  const read = rows.slice(0, limit);
  const items = is_back ? read.toReversed() : read;
  const has_more = rows.length > limit;
  const [first, last] = [items[0], items.at(-1)];
  const at = (direction: PageStart['direction'], row: Row | undefined, exists: boolean) =>
    row === undefined || !exists ? null : encode([list, direction, ...placeOf(row)]);
  return {
    items,
    next: at('next', last, is_back || has_more),
    prev: at('prev', first, is_back ? has_more : start !== null),
  };
}

/** Compares two places part by part, each part rising. */
export function comparePlaces(a: RowPlace, b: RowPlace): number {
  const at = a.findIndex((part, index) => part !== b[index]);
  if (at === -1) return 0;
  return a[at]! < b[at]! ? -1 : 1;
}

function isPart(part: PlacePart, value: unknown): boolean {
  if (part === 'id') return Number.isSafeInteger(value) && (value as number) >= 0;
  if (typeof value !== 'string') return false;
  return (part === 'date' ? /^\d{4}-\d{2}-\d{2}$/ : /^[A-Za-z0-9._-]{1,64}$/).test(value);
}

function encode(values: readonly unknown[]): string {
  return toBase64Url(new TextEncoder().encode(JSON.stringify(values)));
}

/** The values in a cursor of any list; none in other text. */
function valuesOf(text: string): readonly unknown[] {
  try {
    const values: unknown = JSON.parse(new TextDecoder().decode(fromBase64Url(text)));
    return Array.isArray(values) ? values : [];
  } catch {
    return [];
  }
}

/** The part of a list to return, where a reader can go forward and back. */
export interface TwoWayPageRequest {
  /** 1..100 items. */
  readonly limit: number;
  /**
   * The opaque `next` or `prev` of an earlier page. It holds the place and the direction. Refused
   * (`invalid_query`, path `page`) if it is not one of this list. Absent: the first page.
   */
  readonly cursor?: string;
}

/**
 * One page of a list, in the list's order. `next` is the cursor of the page after it, null on the
 * last page. `prev` is the cursor of the page before it, null on the first page.
 */
export interface TwoWayPage<Item> {
  readonly items: readonly Item[];
  readonly next: string | null;
  readonly prev: string | null;
}
