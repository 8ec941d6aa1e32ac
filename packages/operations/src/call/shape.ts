import { type FieldError, invalid } from '@tallystick/kernel';
import type * as z from 'zod';

/**
 * Returns the body as its schema outputs it. Refuses (`validation_failed`) with every invalid
 * field, each with its whole path (`data.total_card_amount`). Unknown fields are removed.
 */
export function parseShape<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const parsed = schema.safeParse(body, { error: describeIssue });
  if (parsed.success) return parsed.data;
  const [first, ...others] = parsed.error.issues.map(fieldError);
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
