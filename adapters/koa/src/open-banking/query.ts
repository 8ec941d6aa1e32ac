import type { ReadPage, TransactionQuery } from '@tallystick/consents';
import { problem } from './problem.ts';

/** The query parameters of the standard, and the cursor of a page. */
export interface OpenBankingQuery extends TransactionQuery, ReadPage {}

/**
 * Reads the parameters that have an effect on the endpoint. Others are ignored, as the standard
 * has it. Refuses an effective one that is repeated, and an empty `page`.
 *
 * A plus sign stands for itself: dates with a zone are often sent without percent-encoding.
 */
export function readQuery(querystring: string, parameters: readonly string[]): OpenBankingQuery {
  const values = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(querystring.replaceAll('+', '%2B'))) {
    if (!parameters.includes(name)) continue;
    if (values.has(name)) throw problem('UK.OBIE.Field.Invalid', `${name} is repeated`, name);
    values.set(name, value);
  }
  if (values.get('page') === '') throw problem('UK.OBIE.Field.Invalid', 'page is empty; take it from Links', 'page');
  return {
    from: values.get('fromBookingDateTime'),
    to: values.get('toBookingDateTime'),
    cursor: values.get('page'),
  };
}
