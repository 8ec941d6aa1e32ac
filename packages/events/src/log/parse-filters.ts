import { type FieldError, type Interval, invalidQuery, isStorable, nearestName, showValue } from '@tallystick/kernel';
import { event_types, toStoredName } from './event-type.ts';
import {
  type EventFilter,
  type FilterField,
  type FilterName,
  filter_fields,
  filter_value_forms,
  indexed_text_max,
  parseMoment,
} from './filter.ts';
import { compareValues } from './indexed-values.ts';

/**
 * Reads the filters of an events list: pairs of a name (`payload.mcc`) and its text, a value or
 * `[from,to]`. One end of a range may be empty, but not both. A date for an instant means the whole
 * GMT day: a range includes its start and its last millisecond.
 *
 * Refuses (`invalid_query`) unknown, repeated and malformed parameters, a range where none is
 * allowed, and a range that begins after it ends. One refusal lists all problems, each with its
 * parameter.
 */
export function parseEventFilters(query: Iterable<readonly [name: string, text: string]>): readonly EventFilter[] {
  const filters: EventFilter[] = [];
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [name, text] of query) {
    const read = seen.has(name)
      ? 'is given twice'
      : isFilterName(name)
        ? readEventFilter(name, text)
        : describeUnknownName(name);
    seen.add(name);
    if (typeof read === 'string') errors.push({ path: name, message: read });
    else if (read !== null) filters.push(read);
  }
  if (errors.length > 0) throw invalidQuery(...errors);
  return filters;
}

/**
 * Reads an instant, a date or a range of these, as the filter `created_at` of events does. Returns
 * the problem of any other text.
 */
export function parseInstants(text: string): Interval | string {
  const read = readEventFilter('created_at', text);
  if (typeof read === 'string' || read === null) return read ?? 'needs a value';
  if (read.kind === 'equals') return { from_ms: Number(read.value), to_ms: Number(read.value) };
  return {
    ...(read.from === undefined ? {} : { from_ms: Number(read.from) }),
    ...(read.to === undefined ? {} : { to_ms: Number(read.to) }),
  };
}

/** Returns the filter, null when it excludes nothing, or the problem of the text. */
export function readEventFilter(name: FilterName, text: string): EventFilter | string | null {
  const field: Omit<FilterField, 'name'> = filter_fields[name];
  if (/^\[.*\]$/s.test(text)) {
    return field.range ? readRange(name, field.type, text.slice(1, -1)) : 'takes one value, not a range';
  }
  if (name === 'event_type') return readEventType(text);
  if (name === 'payload.card_number' && /\d{5}/.test(text)) {
    return 'must be the masked number, ************ and the last four digits; never send a whole number in a query';
  }
  const end = readEnd(field.type, text);
  if (typeof end === 'string') return end;
  return end.from === end.to ? { name, kind: 'equals', value: end.from } : { name, kind: 'range', ...end };
}

function readRange(name: FilterName, type: FilterField['type'], inner: string): EventFilter | string {
  const ends = inner.split(',').map((end) => end.trim());
  const [from_text, to_text] = ends;
  if (from_text === undefined || to_text === undefined || ends.length > 2) return 'must be a range [from,to]';
  if (from_text === '' && to_text === '') return 'must have at least one end: [from,to], [from,] or [,to]';
  const from = from_text === '' ? null : readEnd(type, from_text);
  const to = to_text === '' ? null : readEnd(type, to_text);
  if (typeof from === 'string') return from;
  if (typeof to === 'string') return to;
  if (from !== null && to !== null && compareValues(from.from, to.to) > 0) return 'begins after it ends';
  return { name, kind: 'range', ...(from === null ? {} : { from: from.from }), ...(to === null ? {} : { to: to.to }) };
}

/** Returns a value as the interval that it means, or the problem of the text. */
function readEnd(
  type: FilterField['type'],
  text: string,
): { readonly from: string | number; readonly to: string | number } | string {
  if (text === '') return 'needs a value';
  switch (type) {
    case 'integer': {
      const value = filter_value_forms.integer.test(text) ? Number(text) + 0 : Number.NaN;
      return Number.isSafeInteger(value) ? { from: value, to: value } : `must be an integer, not ${showValue(text)}`;
    }
    case 'text':
      if (text.length > indexed_text_max) return `must have at most ${indexed_text_max} characters`;
      return isStorable(text) ? { from: text, to: text } : 'is not valid text';
    case 'instant': {
      const moment = parseMoment(text);
      if (moment !== null) return { from: moment.from_ms, to: moment.to_ms };
      const hint = /\d \d\d:?\d\d$/.test(text) ? '; write the + of an offset as %2B' : '';
      return `must be a date (YYYY-MM-DD) or an instant (YYYY-MM-DDTHH:MM:SSZ), not ${showValue(text)}${hint}`;
    }
  }
}

function readEventType(text: string): EventFilter | string | null {
  if (text === 'all') return null;
  const value = toStoredName(text);
  if (value !== null) return { name: 'event_type', kind: 'equals', value };
  return `must be the name of an event type, not ${showValue(text)}; the names are ${event_types.map(({ name }) => name).join(', ')}`;
}

function isFilterName(name: string): name is FilterName {
  return Object.hasOwn(filter_fields, name);
}

function describeUnknownName(name: string): string {
  const last = name.slice(name.lastIndexOf('.') + 1);
  const near = Object.entries(filter_fields).find(([known, field]) =>
    [field.payload_key, known.slice(known.lastIndexOf('.') + 1)].includes(last),
  );
  const nearest = near?.[0] ?? nearestName(name, Object.keys(filter_fields));
  if (nearest !== null) return `is not a filter of events; did you mean ${nearest}?`;
  return `is not a filter of events; these are: ${Object.keys(filter_fields).join(', ')}`;
}
