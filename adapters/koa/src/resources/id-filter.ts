import { invalidQuery } from '@tallystick/kernel';
import type { Query } from '../request/query.ts';

/**
 * Returns the company of `filter[company_id]`, or null. Refuses (`invalid_query`) a value that is
 * not an id.
 */
export function readCompanyFilter(query: Query): number | null {
  return readIdFilter(query, 'company_id', 'a company');
}

/** Returns the id of a filter, or null. Refuses (`invalid_query`) a value that is not an id. */
export function readIdFilter({ filters }: Query, name: string, of: string): number | null {
  const text = filters.get(name);
  if (text === undefined) return null;
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw invalidQuery({ path: `filter[${name}]`, message: `must be the id of ${of}: an integer` });
}
