import { nearestName } from '@tallystick/kernel';
import type * as z from 'zod';

const kinds: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list of texts',
  object: 'an object',
  record: 'an object',
};

/**
 * What is wrong with one value of a profile, and what would be right. Does not repeat the value.
 */
export function describeIssue(issue: z.core.$ZodRawIssue): string {
  if (issue.input === undefined && issue.code !== 'custom') return 'is required';
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${kinds[issue.expected] ?? issue.expected}, not ${kindOf(issue.input)}`;
    case 'invalid_value':
      return mustBeOneOf(issue.values.map(String), issue.input);
    case 'too_small':
      return issue.origin === 'array' ? 'must have an entry' : 'must not be empty';
    case 'too_big':
      return `must have at most ${issue.maximum} characters`;
    case 'invalid_key':
      return `the name ${issue.issues[0]?.message ?? 'is not valid'}`;
    default:
      return issue.message ?? 'is not valid';
  }
}

export function describeUnknownMembers(names: readonly string[], known: readonly string[]): string {
  const nearest = names.map((name) => nearestName(name, known));
  const shown = names.map((name, at) => {
    const hint = nearest[at] === null ? '' : ` (did you mean ${nearest[at]}?)`;
    return `${JSON.stringify(name)}${hint}`;
  });
  const members = nearest.includes(null) ? `; its members are ${known.join(', ')}` : '';
  return `has no member ${shown.join(', ')}${members}`;
}

function mustBeOneOf(values: readonly string[], input: unknown): string {
  const nearest = typeof input === 'string' ? nearestName(input, values) : null;
  const hint = nearest === null ? '' : `; did you mean ${nearest}?`;
  const not = typeof input === 'string' ? '' : `, not ${kindOf(input)}`;
  return `must be one of ${values.join(', ')}${not}${hint}`;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'boolean' ? String(value) : (kinds[typeof value] ?? 'a value of this type');
}
