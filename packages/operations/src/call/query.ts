import {
  type FieldError,
  invalidQuery,
  nearestName,
  type PageRequest,
  page_limit_default,
  page_limit_max,
  page_offset_max,
  Refusal,
  showValue,
  type TwoWayPage,
  type TwoWayPageRequest,
} from '@tallystick/kernel';
import type * as z from 'zod';
import { isId } from './parameters.ts';

/** The values beside the body that an operation takes. */
export interface QueryShape {
  /** The result is a page of a list: `limit`, `after` and `offset`. */
  readonly paged?: true;
  /** The filters by name. The work reads their values, which are texts. */
  readonly filter?: z.ZodObject;
  /** The filters whose names are not fixed. */
  readonly other_filters?: RegExp;
  /** Values that are true or false, with what true means; false when absent. */
  readonly flags?: Readonly<Record<string, string>>;
  /** Values that are text. An empty one is refused. */
  readonly texts?: z.ZodObject;
}

/** How a caller writes the names of a query, for refusals. */
export interface QueryNames {
  /** What has the names: `path`. */
  readonly whole: string;
  filter(name: string): string;
  page(name: string): string;
  /** What has the cursor of the next page. */
  readonly next: string;
}

/** The values of a query, in shape. */
export interface Query {
  /** The value of each filter by its name, as text: a range is `[from,to]`. */
  readonly filters: ReadonlyMap<string, string>;
  readonly page: PageRequest;
  flag(name: string): boolean;
  /** Undefined when it is absent. */
  text(name: string): string | undefined;
  readonly names: QueryNames;
}

export const page_names = ['limit', 'after', 'offset'];

export function hasFilter({ filter, other_filters }: QueryShape, name: string): boolean {
  return (filter !== undefined && Object.hasOwn(filter.shape, name)) || other_filters?.test(name) === true;
}

/** Describes a filter that an operation does not have, with the nearest one that it has, or all. */
export function unknownFilter({ filter }: QueryShape, name: string, names: QueryNames): string {
  const known = Object.keys(filter?.shape ?? {});
  const nearest = nearestName(name, known);
  const all = known.length === 0 ? '' : `; these are: ${known.map(names.filter).join(', ')}`;
  const hint = nearest === null ? all : `; did you mean ${names.filter(nearest)}?`;
  return `is not a filter of this ${names.whole}${hint}`;
}

/** Reads the values that select a page: numbers, or their digits. Adds each problem to `errors`. */
export function readPage(
  { limit, after, offset }: Readonly<Record<string, unknown>>,
  names: QueryNames,
  errors: FieldError[],
): PageRequest {
  const read = (name: string, value: unknown, min: number, max: number): number | undefined => {
    if (value === undefined) return undefined;
    const number = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;
    if (Number.isInteger(number) && (number as number) >= min && (number as number) <= max) return number as number;
    const message = `must be an integer from ${min} to ${max}, not ${showValue(value)}`;
    errors.push({ path: names.page(name), message });
    return undefined;
  };
  const items = read('limit', limit, 1, page_limit_max) ?? page_limit_default;
  const skipped = read('offset', offset, 0, page_offset_max);
  if (after === '') errors.push({ path: names.page('after'), message: `is empty; take it from ${names.next}` });
  else if (after !== undefined && typeof after !== 'string') {
    errors.push({ path: names.page('after'), message: `must be a text; take it from ${names.next}` });
  }
  if (after !== undefined && skipped !== undefined) {
    const message = `must not be sent together with ${names.page('after')}`;
    errors.push({ path: names.page('offset'), message });
  }
  return {
    limit: items,
    ...(typeof after === 'string' ? { after } : {}),
    ...(skipped === undefined ? {} : { offset: skipped }),
  };
}

/**
 * Returns the value of a filter with a fixed list of values; undefined when the filter is absent.
 * Refuses (`invalid_query`) any other value.
 */
export function readChoiceFilter<Value extends string>(
  { filters, names }: Query,
  name: string,
  values: readonly Value[],
): Value | undefined {
  const text = filters.get(name);
  const value = values.find((known) => known === text);
  if (text === undefined || value !== undefined) return value;
  throw invalidQuery({ path: names.filter(name), message: `must be one of ${values.join(', ')}` });
}

/**
 * Reads the filters with a function of the domain, which names a filter `mcc`. The refusal
 * (`invalid_query`) names it as the caller does.
 */
export function readFilters<Filters>(
  { filters, names }: Query,
  read: (filters: ReadonlyMap<string, string>) => Filters,
): Filters {
  try {
    return read(filters);
  } catch (error) {
    throw renamed(error, (path) => names.filter(path));
  }
}

/** Returns the id of a filter, or null. Refuses (`invalid_query`) a value that is not an id. */
export function readIdFilter({ filters, names }: Query, name: string, of: string): number | null {
  const text = filters.get(name);
  if (text === undefined) return null;
  if (isId(text)) return Number(text);
  throw invalidQuery({ path: names.filter(name), message: `must be the id of ${of}: an integer` });
}

export function readCompanyFilter(query: Query): number | null {
  return readIdFilter(query, 'company_id', 'a company');
}

/** The page of a list that is read by cursors. Refuses (`invalid_query`) an offset. */
export function pageByCursor({ page: { offset = 0, ...page }, names }: Query): PageRequest {
  if (offset === 0) return page;
  const message = `must be 0 in this list; follow ${names.next} instead`;
  throw invalidQuery({ path: names.page('offset'), message });
}

/**
 * Reads a page of a list that is read by cursors in both directions. An offset is refused
 * (`invalid_query`), and so is a cursor of another list.
 */
export async function readTwoWay<Item>(
  query: Query,
  read: (page: TwoWayPageRequest) => Promise<TwoWayPage<Item>>,
): Promise<TwoWayPage<Item>> {
  const { limit, after } = pageByCursor(query);
  const { names } = query;
  try {
    return await read({ limit, ...(after === undefined ? {} : { cursor: after }) });
  } catch (error) {
    throw renamed(error, (path) => (path === 'page' ? names.page('after') : path));
  }
}

export function withoutAbsent<Values extends object>(
  values: Values,
): { [Name in keyof Values]?: NonNullable<Values[Name]> } {
  const sent = Object.entries(values).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(sent) as { [Name in keyof Values]?: NonNullable<Values[Name]> };
}

/** The refusal of a query with other names; any other error as it is. */
export function renamed(error: unknown, rename: (path: string) => string): unknown {
  if (!(error instanceof Refusal) || error.code !== 'invalid_query') return error;
  return invalidQuery(...error.fields.map(({ path, message }) => ({ path: rename(path), message })));
}
