import { type FieldError, invalidQuery, nearestName, Refusal } from '@tallystick/kernel';

const bracketed = /\b(filter|page)\[([^\]]*)\]/g;

/**
 * Returns the error with the names that a caller in process uses. HTTP writes `page[limit]` and
 * `filter[status]`, options are `limit` and `filter.status`. An unknown option is compared with
 * `option_names`.
 */
export function nameOptions(error: unknown, option_names: readonly string[]): unknown {
  if (!(error instanceof Refusal) || error.code !== 'invalid_query') return error;
  return invalidQuery(
    ...error.fields.map(({ path, message }): FieldError => {
      const named = { path: withoutBrackets(path), message: withoutBrackets(message) };
      if (message !== unknown_parameter) return named;
      const nearest = nearestName(path, option_names);
      return nearest === null ? named : { ...named, message: `${named.message}; did you mean ${nearest}?` };
    }),
  );
}

const unknown_parameter = 'is not a parameter of this path';

function withoutBrackets(text: string): string {
  return text
    .replace(bracketed, (_, kind: string, name: string) => (kind === 'page' ? name : `filter.${name}`))
    .replace(unknown_parameter, 'is not an option of this method')
    .replace('is not a filter of this path', 'is not a filter of this method');
}
