import { type FieldError, filters_max, invalidQuery, isStorable, nearestName } from '@tallystick/kernel';
import * as z from 'zod';
import { hasFilter, page_names, type Query, type QueryNames, readPage, unknownFilter } from '../call/query.ts';
import { ignoresUnknownNames, joinsTransaction, type Operation } from '../operation.ts';

/** The options of a call, in shape. */
export interface ReadOptions {
  readonly query: Query;
  /** Members of the body beside `data`. */
  readonly beside_data: Readonly<Record<string, unknown>>;
  readonly prefers_early: boolean;
}

/** How a host names the values of a query: `filter.status`, `limit`. */
export const option_names: QueryNames = {
  whole: 'method',
  filter: (name) => `filter.${name}`,
  page: (name) => name,
  next: 'next',
};

export function createOptionsReader(operation: Operation): (options: Readonly<Record<string, unknown>>) => ReadOptions {
  const shape = operation.query ?? {};
  const of_body = membersBesideData(operation);
  const { texts } = shape;
  const flags = Object.keys(shape.flags ?? {});
  const of_page = shape.paged ? page_names : [];
  const answers_early = 'receive' in operation && operation.answers_early === true;
  const known = [
    ...['actor', 'request_id', ...(joinsTransaction(operation) ? ['tx'] : [])],
    ...[...of_page, ...(shape.filter === undefined ? [] : ['filter']), ...of_body, ...flags],
    ...[...Object.keys(texts?.shape ?? {}), ...(answers_early ? ['respond_async'] : [])],
  ];

  return (options) => {
    const errors: FieldError[] = [];
    const beside_data: Record<string, unknown> = {};
    const page: Record<string, unknown> = {};
    const flags_sent = new Map<string, boolean>();
    const texts_sent = new Map<string, string>();
    let filters: ReadonlyMap<string, string> = no_filters;
    let prefers_early = false;
    for (const [name, value] of Object.entries(options)) {
      if (value === undefined) continue;
      if (of_body.includes(name)) beside_data[name] = value;
      else if (of_page.includes(name)) page[name] = value;
      else if (name === 'filter') filters = readFilters(operation, value, errors);
      else if (flags.includes(name) || (answers_early && name === 'respond_async')) {
        if (typeof value !== 'boolean') errors.push({ path: name, message: 'must be true or false' });
        else if (flags.includes(name)) flags_sent.set(name, value);
        else prefers_early = value;
      } else if (texts !== undefined && Object.hasOwn(texts.shape, name)) {
        if (typeof value !== 'string') errors.push({ path: name, message: 'must be a text' });
        else if (value === '') errors.push({ path: name, message: 'is empty' });
        else if (!isStorable(value)) errors.push({ path: name, message: 'is not valid text' });
        else texts_sent.set(name, value);
      } else if (!shape.paged && page_names.includes(name)) {
        errors.push({ path: name, message: 'is not an option of this method, which is not a list' });
      } else if (!ignoresUnknownNames(operation)) {
        const is_filter = Object.hasOwn(shape.filter?.shape ?? {}, name);
        const nearest = is_filter ? option_names.filter(name) : nearestName(name, known);
        const hint = nearest === null ? '' : `; did you mean ${nearest}?`;
        errors.push({ path: name.toWellFormed(), message: `is not an option of this method${hint}` });
      }
    }
    const request = readPage(page, option_names, errors);
    if (errors.length > 0) throw invalidQuery(...errors);
    const query: Query = {
      filters,
      page: request,
      flag: (name) => flags_sent.get(name) ?? false,
      text: (name) => texts_sent.get(name),
      names: option_names,
    };
    return { query, beside_data, prefers_early };
  };
}

const no_filters: ReadonlyMap<string, string> = new Map();

function membersBesideData({ body, documented_body = body }: Operation): readonly string[] {
  if (!(documented_body instanceof z.ZodObject)) return [];
  return Object.keys(documented_body.shape).filter((name) => name !== 'data');
}

function readFilters({ query = {} }: Operation, filter: unknown, errors: FieldError[]): ReadonlyMap<string, string> {
  const filters = new Map<string, string>();
  if (typeof filter !== 'object' || filter === null || Array.isArray(filter)) {
    errors.push({ path: 'filter', message: 'must be an object, such as { status: "Approved" }' });
    return filters;
  }
  const conditions = Object.entries(filter).filter(([, value]) => value !== undefined);
  if (conditions.length > filters_max) {
    const message = `has ${conditions.length} conditions; at most ${filters_max} are allowed`;
    throw invalidQuery({ path: 'filter', message });
  }
  for (const [name, value] of conditions) {
    const path = option_names.filter(name).toWellFormed();
    const text = filterText(value);
    if (text === null) errors.push({ path, message: 'must be a text, a number, or true or false' });
    else if (!isStorable(name + text)) errors.push({ path, message: 'is not valid text' });
    else if (hasFilter(query, name)) filters.set(name, text);
    else errors.push({ path, message: unknownFilter(query, name, option_names) });
  }
  return filters;
}

/** The value as text; a pair is a range, of which an end that is null is open. Null: it has no text. */
function filterText(value: unknown): string | null {
  if (Array.isArray(value) && value.length === 2) {
    const [from, to] = value.map((end: unknown) => (end === null || end === undefined ? '' : filterText(end)));
    return from === null || to === null ? null : `[${from},${to}]`;
  }
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;
}
