import { start } from './service.ts';

let stan = 0;

/** An authorization request over 25.00 USD. */
export function authorization(card_number: string, change: Readonly<Record<string, unknown>> = {}) {
  stan += 1;
  return {
    data: {
      card_number,
      message_type_indicator: 'Authorization Request',
      trace_id: `TRACE${stan}`,
      system_trace_audit_number: String(stan).padStart(6, '0'),
      transaction_date_time: start,
      billing_amount: 2500,
      billing_currency: 'USD',
      merchant_amount: 2500,
      merchant_currency: 'USD',
      mcc: '5734',
      merchant_id: 'M-77',
      merchant_name: 'Paper & Ink',
      ...change,
    },
  };
}
