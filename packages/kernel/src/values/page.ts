import { invalidQuery, type Refusal } from '../errors.ts';
import { Temporal } from '../time/temporal.ts';
import { fromBase64Url, toBase64Url } from './bytes.ts';

/**
 * The cursor of the page that follows the row with this id, in a list that is ordered by falling
 * id. It names its list.
 */
export function cursor(list: string, id: number): string {
  return encode(list, [id]);
}

/**
 * The id that the page begins below, or null for the first page. Refuses (`invalid_query`, path
 * `after`) text that is not a cursor of this list.
 */
export function afterId(list: string, page: PageRequest): number | null {
  const place = placeOf(list, 1, page);
  return place === null ? null : place[0]!;
}

/** The place of a row in a list that is ordered by time, and by id at one time. */
export interface TimedPlace {
  readonly at_ms: number;
  readonly id: number;
}

/** The cursor of a list that is ordered by time. */
export function timedCursor(list: string, { at_ms, id }: TimedPlace): string {
  return encode(list, [at_ms, id]);
}

/** The place behind which a page of a list ordered by time begins; null for the first page. */
export function afterTime(list: string, page: PageRequest): TimedPlace | null {
  const place = placeOf(list, 2, page);
  return place === null ? null : { at_ms: place[0]!, id: place[1]! };
}

/** The place of a row in a list that is ordered by falling date, and by falling id at one date. */
export interface DatedPlace {
  /** YYYY-MM-DD, of the years 1970 to 9999. */
  readonly date: string;
  readonly id: number;
}

/** The cursor of a list that is ordered by date. */
export function datedCursor(list: string, { date, id }: DatedPlace): string {
  return encode(list, [Temporal.PlainDate.from('1970-01-01').until(date).days, id]);
}

/** The place that a page of a list ordered by date begins below; null for the first page. */
export function afterDate(list: string, page: PageRequest): DatedPlace | null {
  const place = placeOf(list, 2, page);
  if (place === null) return null;
  if (place[0]! > days_max) throw foreignCursor();
  return { date: Temporal.PlainDate.from('1970-01-01').add({ days: place[0]! }).toString(), id: place[1]! };
}

/** 9999-12-31, in days from 1970-01-01. */
const days_max = 2_932_896;

function encode(list: string, place: readonly number[]): string {
  const text = [list, ...place].join(' ');
  return toBase64Url(new TextEncoder().encode(text));
}

function placeOf(list: string, length: number, { after }: PageRequest): readonly number[] | null {
  if (after === undefined) return null;
  const place = numbersOf(after);
  const is_place = place.length === length && place.every((number) => Number.isSafeInteger(number) && number >= 0);
  if (!is_place || place.at(-1) === 0 || encode(list, place) !== after) {
    throw foreignCursor();
  }
  return place;
}

function foreignCursor(): Refusal {
  return invalidQuery({ path: 'after', message: 'must be the cursor of an earlier page of this list' });
}

/** The numbers in a cursor of any list; none in other text. */
function numbersOf(text: string): readonly number[] {
  try {
    const bytes = fromBase64Url(text);
    return new TextDecoder().decode(bytes).split(' ').slice(1).map(Number);
  } catch {
    return [];
  }
}

/** The part of a list to return. Exactly one of `after` and `offset` may be set. */
export interface PageRequest {
  /** 1..100 items. */
  readonly limit: number;
  /**
   * The opaque cursor of an earlier page's `next`. Refused (`invalid_query`, path `after`) if it is
   * not one.
   */
  readonly after?: string;
  /** Items to skip, at most 10,000. For old clients. */
  readonly offset?: number;
}

/**
 * One page of a list, in the list's order. `next` is the cursor of the next page, null on the last
 * page.
 */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next: string | null;
}

export const page_limit_default = 50;
export const page_limit_max = 100;
export const page_offset_max = 10_000;
/** The most filters on one list: each costs a lookup for each item that the others leave. */
export const filters_max = 10;
