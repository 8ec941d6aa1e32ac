import { type FieldError, invalidQuery, Refusal } from '@tallystick/kernel';

const bracketed = /\b(filter|page)\[([^\]]*)\]/g;

/**
 * Returns the error with the names that a caller in process uses. HTTP writes `page[limit]` and
 * `filter[status]`, options are `limit` and `filter.status`.
 */
export function nameOptions(error: unknown): unknown {
  if (!(error instanceof Refusal) || error.code !== 'invalid_query') return error;
  const [first, ...others] = error.fields.map(
    ({ path, message }): FieldError => ({ path: withoutBrackets(path), message: withoutBrackets(message) }),
  );
  return first === undefined ? error : invalidQuery(first, ...others);
}

function withoutBrackets(text: string): string {
  return text
    .replace(bracketed, (_, kind: string, name: string) => (kind === 'page' ? name : `filter.${name}`))
    .replace('is not a parameter of this path', 'is not an option of this method')
    .replace('is not a filter of this path', 'is not a filter of this method');
}
