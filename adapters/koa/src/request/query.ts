import {
  type FieldError,
  invalidQuery,
  isStorable,
  type PageRequest,
  page_limit_default,
  page_limit_max,
  page_offset_max,
  Refusal,
} from '@tallystick/kernel';
import type * as z from 'zod';

/** The query of a request, as its route understands it. */
export interface Query {
  /** Name and value of each `filter[<name>]=<value>`, in the order given, each name once. */
  readonly filters: ReadonlyMap<string, string>;
  readonly page: PageRequest;
  /** Whether the parameter was given as `true` (or `1`). */
  flag(name: string): boolean;
  /** The path of this list with the same filters; with a cursor, the page that it opens. */
  link(after: string | null): string;
  /** `Prefer: return-minimal`. */
  readonly prefers_minimal: boolean;
}

/** The value of a filter that takes one of a few; undefined when it is not given. Refuses (`invalid_query`) any other. */
export function readChoiceFilter<Value extends string>(
  { filters }: Query,
  name: string,
  values: readonly Value[],
): Value | undefined {
  const text = filters.get(name);
  const value = values.find((known) => known === text);
  if (text === undefined || value !== undefined) return value;
  throw invalidQuery({ path: `filter[${name}]`, message: `must be one of ${values.join(', ')}` });
}

/**
 * Reads the filters with a function of the domain, which calls a filter `mcc`. Its refusal (`invalid_query`) names the
 * parameter as the caller wrote it: `filter[mcc]`.
 */
export function readFilters<Filters>(
  { filters }: Query,
  read: (filters: ReadonlyMap<string, string>) => Filters,
): Filters {
  try {
    return read(filters);
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'invalid_query') throw error;
    throw invalidQuery(...error.fields.map(({ path, message }) => ({ path: `filter[${path}]`, message })));
  }
}

/** Which query parameters a route takes. */
export interface QueryRules {
  /** Takes `page[...]`. */
  readonly paged?: boolean;
  /** The items have no url of their own, and so stay whole when the caller prefers minimal ones. */
  readonly items_stay_whole?: boolean;
  /** Takes `filter[<name>]` for these names; a function decides names that are not fixed. */
  readonly filters?: (name: string) => boolean;
  /** Parameters that are `true` or `false`. */
  readonly flags?: readonly string[];
}

/** The rule that takes the filters which a schema names. */
export function namedIn(filter: z.ZodObject): (name: string) => boolean {
  return (name) => Object.hasOwn(filter.shape, name);
}

const bracketed = /^(filter|page)\[(.*)\]$/s;

/**
 * Reads a query string (without `?`). Refuses (`invalid_query`), all at once, every `filter[...]` or `page[...]` that the
 * route does not know, that is given twice, or whose value is malformed. Other unknown parameters are ignored.
 */
export function parseQuery(path: string, querystring: string, prefer: string | undefined, rules: QueryRules): Query {
  const filters = new Map<string, string>();
  const flags = new Map<string, boolean>();
  const page = new Map<string, string>();
  const errors: FieldError[] = [];
  for (const [name, value] of new URLSearchParams(querystring)) {
    const [, kind, inner] = bracketed.exec(name) ?? [];
    if (kind === undefined || inner === undefined) {
      if (name === 'filter' || name === 'page' || /^(filter|page)\[/.test(name)) {
        errors.push({ path: name, message: 'is malformed; write filter[<field>]=<value> or page[limit]=<n>' });
      } else if (rules.flags?.includes(name)) {
        readFlag(name, value, flags, errors);
      }
      continue;
    }
    const into = kind === 'filter' ? filters : page;
    if (!isStorable(name + value) || (name + value).includes('\uFFFD')) {
      errors.push({ path: name.toWellFormed(), message: 'is not valid text' });
    } else if (into.has(inner)) {
      errors.push({ path: name, message: 'is given twice' });
    } else if (kind === 'filter' ? rules.filters?.(inner) : rules.paged && page_names.includes(inner)) {
      into.set(inner, value);
    } else {
      errors.push({
        path: name,
        message: kind === 'filter' ? 'is not a filter of this path' : describeUnknownPage(rules),
      });
    }
  }
  const request = readPage(page, errors);
  if (errors.length > 0) throw invalidQuery(...errors);
  return {
    filters,
    page: request,
    flag: (name) => flags.get(name) ?? false,
    link: (after) => path + toLinkQuery(filters, flags, page.get('limit'), after),
    prefers_minimal: prefer !== undefined && /(?:^|[\s,;])return[-=]"?minimal\b/i.test(prefer),
  };
}

const page_names = ['limit', 'after', 'offset'];

function describeUnknownPage(rules: QueryRules): string {
  return rules.paged ? `is not a page parameter; these are: ${page_names.join(', ')}` : 'is not known: this is no list';
}

function readFlag(name: string, value: string, flags: Map<string, boolean>, errors: FieldError[]): void {
  const flag = { true: true, '1': true, false: false, '0': false }[value];
  if (flag === undefined) errors.push({ path: name, message: 'must be true or false' });
  else flags.set(name, flag);
}

function readPage(page: ReadonlyMap<string, string>, errors: FieldError[]): PageRequest {
  const limit = readInteger(page, 'limit', 1, page_limit_max, errors) ?? page_limit_default;
  const offset = readInteger(page, 'offset', 0, page_offset_max, errors);
  const after = page.get('after');
  if (after === '') errors.push({ path: 'page[after]', message: 'is empty; take it from links.next' });
  if (after !== undefined && offset !== undefined) {
    errors.push({ path: 'page[offset]', message: 'must not be given together with page[after]' });
  }
  return { limit, ...(after === undefined ? {} : { after }), ...(offset === undefined ? {} : { offset }) };
}

function readInteger(
  page: ReadonlyMap<string, string>,
  name: string,
  min: number,
  max: number,
  errors: FieldError[],
): number | undefined {
  const text = page.get(name);
  if (text === undefined) return undefined;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  errors.push({ path: `page[${name}]`, message: `must be an integer from ${min} to ${max}` });
  return undefined;
}

function toLinkQuery(
  filters: ReadonlyMap<string, string>,
  flags: ReadonlyMap<string, boolean>,
  limit: string | undefined,
  after: string | null,
): string {
  const parts: string[] = [];
  for (const [name, value] of filters) parts.push(`filter[${encodeURIComponent(name)}]=${encodeURIComponent(value)}`);
  for (const [name, value] of flags) parts.push(`${name}=${value}`);
  if (limit !== undefined) parts.push(`page[limit]=${limit}`);
  if (after !== null) parts.push(`page[after]=${encodeURIComponent(after)}`);
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}
