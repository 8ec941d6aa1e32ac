import {
  type FieldError,
  filters_max,
  invalidQuery,
  isStorable,
  named_max,
  nearestName,
  showValue,
} from '@tallystick/kernel';
import {
  hasFilter,
  page_names,
  type Query,
  type QueryNames,
  type QueryShape,
  readPage,
  unknownFilter,
} from '@tallystick/operations';

/** The query of a request, and what its answer needs of it. */
export interface HttpQuery extends Query {
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
  /** `Prefer: return-minimal`. */
  readonly prefers_minimal: boolean;
  /** `Prefer: respond-async`. */
  readonly prefers_async: boolean;
}

/** How a client writes the names of a query. */
export const http_names: QueryNames = {
  whole: 'path',
  filter: (name) => `filter[${name}]`,
  page: (name) => `page[${name}]`,
  next: 'links.next',
};

const bracketed = /^(filter|page)\[(.*)\]$/s;

/**
 * Parses a query string (without `?`). Refuses (`invalid_query`), in one refusal, every parameter
 * that the operation does not have, with the nearest one that it has, every one that is
 * repeated, and every malformed value, up to `named_max`. More than `filters_max` filters are refused
 * without a look at each. `prefix` is what the client wrote before the path; links begin with it.
 */
export function parseQuery(
  path: string,
  querystring: string,
  prefer: string | undefined,
  shape: QueryShape,
  { prefix = '', ignores_unknown = false }: { readonly prefix?: string; readonly ignores_unknown?: boolean } = {},
): HttpQuery {
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
    // To look for the nearest name is the most work.
    if (errors.length === named_max) break;
    const [, kind, inner] = bracketed.exec(name) ?? [];
    if (kind === undefined || inner === undefined) {
      if (name === 'filter' || name === 'page' || /^(filter|page)\[/.test(name)) {
        errors.push({ path: name, message: 'is malformed; write filter[<field>]=<value> or page[limit]=<n>' });
      } else if (Object.hasOwn(shape.flags ?? {}, name)) {
        readFlag(name, value, flags, errors);
      } else if (shape.texts !== undefined && Object.hasOwn(shape.texts.shape, name)) {
        readText(name, value, is_text, texts, errors);
      } else if (!ignores_unknown) {
        const hint = didYouMean(name, parametersOf(shape));
        errors.push({ path: showName(name), message: `is not a parameter of this path${hint}` });
      }
      continue;
    }
    const into = kind === 'filter' ? filters : page;
    if (!isStorable(name + value) || (!is_text && (name + value).includes('\uFFFD'))) {
      errors.push({ path: showName(name), message: 'is not valid text' });
    } else if (into.has(inner)) {
      errors.push({ path: name, message: 'is repeated' });
    } else if (kind === 'filter' ? hasFilter(shape, inner) : shape.paged && page_names.includes(inner)) {
      into.set(inner, value);
    } else {
      const message = kind === 'filter' ? unknownFilter(shape, inner, http_names) : describeUnknownPage(inner, shape);
      errors.push({ path: showName(name), message });
    }
  }
  const request = readPage(Object.fromEntries(page), http_names, errors);
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

function describeUnknownPage(name: string, shape: QueryShape): string {
  if (!shape.paged) return 'is not a parameter of this path, which is not a list';
  const nearest = nearestName(name, page_names);
  if (nearest !== null) return `is not a page parameter; did you mean page[${nearest}]?`;
  return `is not a page parameter; these are: ${page_names.join(', ')}`;
}

/** Returns the parameters of a path as a caller writes them. */
function parametersOf({ paged, filter, flags = {}, texts }: QueryShape): readonly string[] {
  const filters = Object.keys(filter?.shape ?? {}).map((name) => http_names.filter(name));
  return [
    ...Object.keys(flags),
    ...Object.keys(texts?.shape ?? {}),
    ...filters,
    ...(paged ? page_names.map(http_names.page) : []),
  ];
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
