import type { AppliedCase } from './case.ts';

/** The headers that the suite sends with a case, beside the token. */
export function headersOf(row: AppliedCase): Readonly<Record<string, string>> {
  return {
    'Content-Type': 'application/json',
    Accept: '*/*',
    ...(row.lacks_financial_id === true ? {} : { 'x-fapi-financial-id': '0015800001041RHAAY' }),
    ...(row.interaction_id === undefined ? {} : { 'x-fapi-interaction-id': row.interaction_id }),
  };
}
