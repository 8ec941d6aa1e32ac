import {
  type FieldError,
  filters_max,
  invalidQuery,
  isStorable,
  nearestName,
  type PageRequest,
  page_limit_default,
  page_limit_max,
  page_offset_max,
  Refusal,
  showValue,
} from '@tallystick/kernel';
import type { QueryNames } from '@tallystick/operations';
import type * as z from 'zod';

/** The query of a request, parsed by the rules of its route. */
export interface Query {
  /** Name and value of each `filter[<name>]=<value>`, in the order sent, each name once. */
  readonly filters: ReadonlyMap<string, string>;
  readonly page: PageRequest;
  /** Whether the parameter was sent as `true` (or `1`). */
  flag(name: string): boolean;
  /** The value of a parameter that is text; undefined when it is absent. */
  text(name: string): string | undefined;
  /**
   * Returns the path of this list with the same filters. With a cursor, it is the path of the page
   * after the cursor.
   */
  link(after: string | null): string;
  /**
   * Returns a path of the interface as the client has to send it: below the prefix of the host that
   * has mounted the interface. For links; the `url` of a resource has no prefix.
   */
  linkTo(path: string): string;
  readonly names: QueryNames;
  /** `Prefer: return-minimal`. */
  readonly prefers_minimal: boolean;
  /** `Prefer: respond-async`. */
  readonly prefers_async: boolean;
}

/**
 * Returns the value of a filter with a fixed list of values; undefined when the filter is absent.
 * Refuses (`invalid_query`) any other value.
 */
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
 * Reads the filters with a function of the domain, which names a filter `mcc`. The refusal
 * (`invalid_query`) names the parameter as the caller wrote it: `filter[mcc]`.
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

/**
 * Returns the refusal with the name that the caller used for the cursor. The domain uses `after`,
 * the caller `page[after]`.
 */
export function nameCursor(refusal: Refusal): Refusal {
  if (refusal.code !== 'invalid_query' || !refusal.fields.some(({ path }) => path === 'after')) return refusal;
  return invalidQuery(
    ...refusal.fields.map(({ path, message }) => ({ path: path === 'after' ? 'page[after]' : path, message })),
  );
}

/** How a client writes the names of a query. */
export const http_names: QueryNames = {
  whole: 'path',
  filter: (name) => `filter[${name}]`,
  page: (name) => `page[${name}]`,
  next: 'links.next',
};

/** The query parameters that a route accepts. */
export interface QueryRules {
  /** Accepts `page[...]`. */
  readonly paged?: boolean;
  /** The items have no URL, so they stay whole when the caller prefers minimal ones. */
  readonly items_stay_whole?: boolean;
  /**
   * Accepts `filter[<name>]` for these names. It is a function because some names are not fixed.
   */
  readonly filters?: (name: string) => boolean;
  /** The fixed names among the filters, for suggestions. */
  readonly filter_names?: readonly string[];
  /** Parameters that are `true` or `false`. */
  readonly flags?: readonly string[];
  /** Parameters that are text. An empty one is refused. */
  readonly texts?: readonly string[];
  /** Accepts any other parameter without effect. */
  readonly ignores_unknown?: boolean;
}

/** Returns the rule that accepts the filters of a schema. */
export function namedIn(filter: z.ZodObject): (name: string) => boolean {
  return (name) => Object.hasOwn(filter.shape, name);
}

const bracketed = /^(filter|page)\[(.*)\]$/s;

/**
 * Parses a query string (without `?`). Refuses (`invalid_query`), in one refusal, every parameter
 * that the route does not accept, with the nearest one that it accepts, every accepted one that is
 * repeated, and every malformed value. More than `filters_max` filters are refused without a look
 * at each. `prefix` is what the client wrote before the path; links begin with it.
 */
export function parseQuery(
  path: string,
  querystring: string,
  prefer: string | undefined,
  rules: QueryRules,
  prefix = '',
): Query {
  const filters = new Map<string, string>();
  const flags = new Map<string, boolean>();
  const texts = new Map<string, string>();
  const page = new Map<string, string>();
  const errors: FieldError[] = [];
  const is_text = isUtf8Query(querystring);
  const parameters = [...new URLSearchParams(querystring)];
  const filter_count = parameters.filter(([name]) => name.startsWith('filter[')).length;
  if (filter_count > filters_max) {
    throw invalidQuery({
      path: 'filter',
      message: `has ${filter_count} conditions; at most ${filters_max} are allowed`,
    });
  }
  for (const [name, value] of parameters) {
    const [, kind, inner] = bracketed.exec(name) ?? [];
    if (kind === undefined || inner === undefined) {
      if (name === 'filter' || name === 'page' || /^(filter|page)\[/.test(name)) {
        errors.push({ path: name, message: 'is malformed; write filter[<field>]=<value> or page[limit]=<n>' });
      } else if (rules.flags?.includes(name)) {
        readFlag(name, value, flags, errors);
      } else if (rules.texts?.includes(name)) {
        readText(name, value, is_text, texts, errors);
      } else if (!rules.ignores_unknown) {
        const hint = didYouMean(name, [...(rules.flags ?? []), ...(rules.texts ?? []), ...bracketedNames(rules)]);
        errors.push({ path: showName(name), message: `is not a parameter of this path${hint}` });
      }
      continue;
    }
    const into = kind === 'filter' ? filters : page;
    if (!isStorable(name + value) || (!is_text && (name + value).includes('\uFFFD'))) {
      errors.push({ path: showName(name), message: 'is not valid text' });
    } else if (into.has(inner)) {
      errors.push({ path: name, message: 'is repeated' });
    } else if (kind === 'filter' ? rules.filters?.(inner) : rules.paged && page_names.includes(inner)) {
      into.set(inner, value);
    } else {
      const message = kind === 'filter' ? describeUnknownFilter(inner, rules) : describeUnknownPage(inner, rules);
      errors.push({ path: showName(name), message });
    }
  }
  const request = readPage(page, errors);
  if (errors.length > 0) throw invalidQuery(...errors);
  return {
    filters,
    page: request,
    names: http_names,
    flag: (name) => flags.get(name) ?? false,
    text: (name) => texts.get(name),
    link: (after) => prefix + path + toLinkQuery(filters, flags, page.get('limit'), after),
    linkTo: (other) => prefix + other,
    prefers_minimal: prefer !== undefined && /(?:^|[\s,;])return[-=]"?minimal\b/i.test(prefer),
    prefers_async: prefer !== undefined && /(?:^|[\s,;])respond-async\b/i.test(prefer),
  };
}

/** Whether its percent-encoded bytes are UTF-8. Bytes that are not would be read as U+FFFD. */
function isUtf8Query(querystring: string): boolean {
  if (!querystring.includes('%')) return true;
  try {
    decodeURIComponent(querystring.replace(/%(?![0-9a-f]{2})/gi, '%25'));
    return true;
  } catch {
    return false;
  }
}

const page_names = ['limit', 'after', 'offset'];

function describeUnknownPage(name: string, rules: QueryRules): string {
  if (!rules.paged) return 'is not a parameter of this path, which is not a list';
  const nearest = nearestName(name, page_names);
  if (nearest !== null) return `is not a page parameter; did you mean page[${nearest}]?`;
  return `is not a page parameter; these are: ${page_names.join(', ')}`;
}

function describeUnknownFilter(name: string, rules: QueryRules): string {
  const nearest = nearestName(name, rules.filter_names ?? []);
  return `is not a filter of this path${nearest === null ? '' : `; did you mean filter[${nearest}]?`}`;
}

/** Returns the bracketed parameters that the rules name, as a caller writes them. */
function bracketedNames({ paged, filter_names = [] }: QueryRules): readonly string[] {
  const pages = paged ? page_names.map((name) => `page[${name}]`) : [];
  return [...filter_names.map((name) => `filter[${name}]`), ...pages];
}

/** Returns a suggestion to continue a sentence with; empty when no known name is near. */
function didYouMean(name: string, known: readonly string[]): string {
  const nearest = known.find((one) => one.endsWith(`[${name}]`)) ?? nearestName(name, known);
  return nearest === null ? '' : `; did you mean ${nearest}?`;
}

/** The name of a parameter as a message may repeat it: short, and without a card number. */
function showName(name: string): string {
  return /^(?!.*\d{5})[\w.[\]$-]{1,100}$/.test(name) ? name : showValue(name.toWellFormed());
}

function readFlag(name: string, value: string, flags: Map<string, boolean>, errors: FieldError[]): void {
  const flag = { true: true, '1': true, false: false, '0': false }[value];
  if (flags.has(name)) errors.push({ path: name, message: 'is repeated' });
  else if (flag === undefined) errors.push({ path: name, message: 'must be true or false' });
  else flags.set(name, flag);
}

function readText(
  name: string,
  value: string,
  is_text: boolean,
  texts: Map<string, string>,
  errors: FieldError[],
): void {
  if (texts.has(name)) errors.push({ path: name, message: 'is repeated' });
  else if (value === '') errors.push({ path: name, message: 'is empty' });
  else if (!isStorable(value) || (!is_text && value.includes('\uFFFD'))) {
    errors.push({ path: name, message: 'is not valid text' });
  } else texts.set(name, value);
}

function readPage(page: ReadonlyMap<string, string>, errors: FieldError[]): PageRequest {
  const limit = readInteger(page, 'limit', 1, page_limit_max, errors) ?? page_limit_default;
  const offset = readInteger(page, 'offset', 0, page_offset_max, errors);
  const after = page.get('after');
  if (after === '') errors.push({ path: 'page[after]', message: 'is empty; take it from links.next' });
  if (after !== undefined && offset !== undefined) {
    errors.push({ path: 'page[offset]', message: 'must not be sent together with page[after]' });
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
  errors.push({ path: `page[${name}]`, message: `must be an integer from ${min} to ${max}, not ${showValue(text)}` });
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
