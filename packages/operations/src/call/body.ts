import { type FieldError, invalid, named_max, nameHint, showValue } from '@tallystick/kernel';
import * as z from 'zod';
import { data_of_domain } from '../fields.ts';
import { ignoresUnknownNames, type Operation } from '../operation.ts';

/** The most levels of objects and arrays in a body. */
export const nesting_max = 64;

/**
 * The most values in a body: items of arrays and members of objects, at any depth. It bounds the
 * work that follows. The largest body that an operation takes has a tenth of them.
 */
export const values_max = 10_000;

/**
 * The fields of an object in a request. The value is null for a field that holds no closed object.
 */
type KnownFields = ReadonlyMap<string, KnownFields | null>;

/**
 * Returns the body without the members that are ignored, and then with `is_sent_back`. Refuses
 * unknown fields.
 */
export type FieldCheck = (body: unknown) => unknown;

/**
 * Returns the check of the names in a request body (decision: unknown fields). It refuses
 * (`validation_failed`) every unknown field with the nearest known one, at every depth where the
 * fields are fixed. A client may send a resource back: in `data`, the members that only answers
 * have are removed, and `is_sent_back` beside `data` states that there were some. Networks add fields
 * to their messages, so those are not checked.
 */
export function createFieldCheck(
  operation: Pick<Operation, 'area' | 'body' | 'documented_body' | 'takes_back'>,
): FieldCheck {
  const schema = operation.documented_body ?? operation.body;
  const fields = schema === undefined || ignoresUnknownNames(operation) ? null : fieldsOf(schema);
  if (fields === null) return (body) => body;
  const of_data = fields.get('data') ?? new Map();
  const ignored = new Set(Object.keys(operation.takes_back?.shape ?? {}).filter((name) => !of_data.has(name)));
  return (body) => {
    // The shape of the body is refused first.
    if (fields.has('data') && !(isObject(body) && isObject(body.data))) return body;
    const kept = withoutIgnored(body, ignored);
    const unknown: FieldError[] = [];
    collectUnknown(kept, fields, '', (name, path, known) => {
      // To look for the nearest name is the most work.
      if (unknown.length === named_max) return;
      const [elsewhere, where] = path === '' ? [of_data, 'inside data'] : [fields, 'beside data'];
      const hint = elsewhere.has(name) ? `it belongs ${where}` : nameHint(name, [...known.keys()]);
      unknown.push({ path: pathOf(path, name), message: `is not a field of this request; ${hint}` });
    });
    const [first, ...others] = unknown;
    if (first !== undefined) throw invalid(first, ...others);
    return kept === body ? kept : { ...(kept as object), is_sent_back: true };
  };
}

/**
 * Returns the fields that the schema fixes, through optional and nullable schemas, lists and unions
 * (of those, the first with fixed fields). Null: it fixes none.
 */
function fieldsOf(schema: z.core.$ZodType): KnownFields | null {
  if (schema instanceof z.ZodObject) {
    return new Map(Object.entries(schema.shape).map(([name, inner]) => [name, fieldsOf(inner as z.ZodType)]));
  }
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) {
    return fieldsOf(schema.unwrap());
  }
  if (schema instanceof z.ZodArray) return fieldsOf(schema.element);
  if (schema instanceof z.ZodUnion) return schema.options.map(fieldsOf).find((fields) => fields !== null) ?? null;
  return null;
}

function collectUnknown(
  value: unknown,
  known: KnownFields,
  path: string,
  found: (name: string, path: string, known: KnownFields) => void,
): void {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) collectUnknown(item, known, `${path}[${index}]`, found);
  } else if (isObject(value)) {
    for (const [name, inner] of Object.entries(value)) {
      const of_inner = known.get(name);
      if (of_inner === undefined) found(name, path, known);
      else if (of_inner !== null) collectUnknown(inner, of_inner, pathOf(path, name), found);
    }
  }
}

/** A name of another form is shown like a value: short, and without digits of a card number. */
function pathOf(path: string, name: string): string {
  if (!/^(?!.*\d{5})[\w$.-]{1,64}$/.test(name)) return `${path}[${showValue(name)}]`;
  return path === '' ? name : `${path}.${name}`;
}

function withoutIgnored(body: unknown, ignored: ReadonlySet<string>): unknown {
  if (!isObject(body) || !isObject(body.data)) return body;
  const { data } = body;
  if (!Object.keys(data).some((name) => ignored.has(name))) return body;
  return { ...body, data: Object.fromEntries(Object.entries(data).filter(([name]) => !ignored.has(name))) };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Returns the body as its schema outputs it. Refuses (`validation_failed`) with the invalid fields,
 * each with its whole path (`data.total_card_amount`). Unknown fields are removed.
 */
export function parseShape<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  // What this schema does, in a tenth of the time: every message of the network has it.
  if ((schema as z.ZodType) === data_of_domain && isObject(body) && isObject(body.data))
    return { data: body.data } as z.output<Schema>;
  const parsed = schema.safeParse(body, { error: describeIssue });
  if (parsed.success) return parsed.data;
  const [first, ...others] = parsed.error.issues.slice(0, named_max).map(fieldError);
  throw invalid(first!, ...others);
}

function fieldError(issue: z.core.$ZodIssue): FieldError {
  let path = '';
  for (const step of issue.path)
    path += typeof step === 'number' ? `[${step}]` : path === '' ? String(step) : `.${String(step)}`;
  return { path: path === '' ? 'body' : path, message: issue.message };
}

const kinds: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

/**
 * Returns the problem of a value in the service's words, without the value, which may be a card
 * number.
 */
function describeIssue(issue: z.core.$ZodRawIssue): string {
  if (issue.input === undefined && issue.code !== 'custom') return 'is required';
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${kinds[issue.expected] ?? issue.expected}, not ${kindOf(issue.input)}`;
    case 'too_big':
      return `must be at most ${formatBound(issue.maximum, issue.origin)}`;
    case 'too_small':
      return `must be at least ${formatBound(issue.minimum, issue.origin)}`;
    case 'invalid_value':
      return `must be one of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}`;
    case 'invalid_format':
      return formats[issue.format] ?? 'is not in the right format';
    case 'invalid_union':
      return `must not be ${kindOf(issue.input)}`;
    default:
      return issue.message ?? 'is not valid';
  }
}

const formats: Readonly<Record<string, string>> = {
  date: 'must be a calendar date, YYYY-MM-DD',
  datetime: 'must be an ISO 8601 date and time with an offset, such as 2026-01-31T12:00:00Z',
  email: 'must be an email address',
  safeint: 'must be an integer that a double represents exactly',
};

function formatBound(value: number | bigint, origin: string): string {
  const plural = Number(value) === 1 ? '' : 's';
  if (origin === 'string') return `${value} character${plural} long`;
  if (origin === 'array') return `${value} item${plural} long`;
  return String(value);
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'number')
    return Number.isSafeInteger(value) ? 'a number' : Number.isInteger(value) ? 'a number past 2^53' : 'a fraction';
  return kinds[typeof value] ?? 'a value of this type';
}
