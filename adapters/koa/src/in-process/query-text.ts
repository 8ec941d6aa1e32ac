import { type FieldError, invalidQuery } from '@tallystick/kernel';

/** A value of a query parameter. An array repeats the parameter. */
export type QueryValue = string | number | boolean | undefined | readonly (string | number | boolean)[];

/**
 * The query of a call: `{ filter: { status: 'active' }, page: { limit: 10 } }`. Members that are
 * undefined are left out.
 */
export type QueryInput = Readonly<Record<string, QueryValue | Readonly<Record<string, QueryValue>>>>;

/**
 * Writes a query as the text of a URL, so that the checks of a request also check the query of a
 * call. A member of an object is written in brackets: `page[limit]=10`. Refuses (`invalid_query`)
 * values without a text.
 */
export function writeQuery(query: QueryInput): string {
  const written = new URLSearchParams();
  const errors: FieldError[] = [];
  const write = (name: string, value: unknown): void => {
    const is_simple = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
    // A half of a surrogate pair would become another character.
    if (!is_simple) errors.push({ path: name, message: 'must be a text, a number, or true or false' });
    else if (!`${name}${value}`.isWellFormed())
      errors.push({ path: name.toWellFormed(), message: 'is not valid text' });
    else written.append(name, String(value));
  };
  const writeAll = (name: string, value: unknown): void => {
    if (value === undefined) return;
    for (const one of Array.isArray(value) ? value : [value]) write(name, one);
  };
  for (const [name, value] of Object.entries(query)) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) writeAll(name, value);
    else for (const [inner, one] of Object.entries(value)) writeAll(`${name}[${inner}]`, one);
  }
  if (errors.length > 0) throw invalidQuery(...errors);
  return written.toString();
}
