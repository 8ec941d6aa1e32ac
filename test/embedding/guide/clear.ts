// clear.ts
import type { Authorization, Clearing } from 'tallystick';
import { tally } from './tally.ts';

/** Clears a whole authorization of today. */
export async function clear(authorization: Authorization, id: string): Promise<Clearing> {
  return await tally.network.clear({
    vcn_id: authorization.vcn_id,
    network_financial_transaction_id: id,
    clearing_type: 'DEBIT',
    billing_amount: authorization.billing_amount,
    billing_currency: authorization.billing_currency,
    settlement_date: new Date().toISOString().slice(0, 10),
    // These find the authorization.
    net_reference_number: authorization.net_reference_number,
    approval_code: authorization.approval_code,
    merchant_id: authorization.merchant_id,
  });
}
