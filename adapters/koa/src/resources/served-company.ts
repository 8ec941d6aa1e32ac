import type { Caller } from '../request/route.ts';

/**
 * The one company that a key of the bank serves; null: it serves all. The sandbox's fixed key is the
 * key of the whole bank.
 */
export function servedCompany({ key_id, company_id }: Caller): number | null {
  return key_id === 'sandbox:bank' ? null : company_id;
}
