import { randomBytes } from 'node:crypto';
import type { Temporal } from '@tallystick/kernel';
import type { Json } from './sandbox-client.ts';

/** A card with its number and code in plain text. */
export interface PlainCard {
  readonly number: string;
  readonly cvc: string;
  readonly expiry: string;
}

export interface Purchase {
  /** In minor units of the currency. */
  readonly amount: number;
  readonly currency: string;
  readonly at: Temporal.Instant;
}

/**
 * The message of the card network when a card is used. Each message is unique. `differing` fields
 * replace the usual ones.
 */
export function purchaseMessage(
  { number, cvc, expiry }: PlainCard,
  { amount, currency, at }: Purchase,
  differing: Json = {},
): Json {
  const trace = randomBytes(8).toString('hex');
  return {
    card_number: number,
    cvc,
    expiry,
    message_type_indicator: 'Authorization Request',
    billing_amount: amount,
    billing_currency: currency,
    merchant_amount: amount,
    merchant_currency: currency,
    mcc: '5411',
    mcc_description: 'Grocery Stores, Supermarkets',
    merchant_id: 'DEMO-GROCER',
    merchant_name: 'Corner Grocer',
    merchant_city: 'Springfield',
    trace_id: trace,
    net_reference_number: `MCC${trace.slice(0, 6).toUpperCase()}${at.toString().slice(5, 10).replace('-', '')}`,
    system_trace_audit_number: String(randomBytes(3).readUIntBE(0, 3) % 1_000_000).padStart(6, '0'),
    transaction_date_time: at.toString(),
    ...differing,
  };
}

export function clearingMessage(
  message: Json,
  approval_code: unknown,
  { amount, currency, at }: Purchase,
  network_financial_transaction_id: string,
): Json {
  const reference = BigInt(`0x${randomBytes(7).toString('hex')}`);
  const { card_number, net_reference_number, mcc, mcc_description, merchant_id, merchant_name } = message;
  return {
    card_number,
    network_financial_transaction_id,
    net_reference_number,
    acquirer_reference_data: String(reference).padStart(17, '0').slice(-17),
    approval_code,
    clearing_type: 'DEBIT',
    billing_amount: amount,
    billing_currency: currency,
    merchant_amount: amount,
    merchant_currency: currency,
    mcc,
    mcc_description,
    merchant_id,
    merchant_name,
    settlement_date: at.toString().slice(0, 10),
  };
}
