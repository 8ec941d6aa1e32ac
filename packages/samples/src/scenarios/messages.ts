import type { ExpectedClearing, SampleCycle } from '../answers/expected.ts';

/** An authorization message (service specification 2.9), without the number of its card. */
export interface SampleMessage {
  readonly message_type_indicator: string;
  readonly trace_id: string;
  readonly system_trace_audit_number: string;
  readonly transaction_date_time: string;
  readonly billing_amount: number;
  readonly billing_currency: string;
  readonly merchant_amount: number;
  readonly merchant_currency: string;
  readonly mcc: string;
  readonly net_reference_number: string;
  readonly merchant_id: string;
  readonly merchant_name: string;
  readonly approval_code?: string | null;
  readonly response_code?: string;
  readonly incremental?: boolean;
  readonly card_holder_transaction_type_code?: string;
  readonly replacement_amounts?: {
    readonly billing_amount: number;
    readonly settlement_amount: null;
    readonly transaction_amount: number;
  } | null;
}

/** A clearing (service specification 2.10), without its card. */
export interface SampleClearingFields {
  readonly network_financial_transaction_id: string;
  readonly acquirer_reference_data: string | null;
  readonly approval_code: string | null;
  readonly net_reference_number: string | null;
  readonly billing_amount: number;
  readonly billing_currency: string;
  readonly merchant_amount: number;
  readonly merchant_currency: string;
  readonly clearing_type: 'DEBIT' | 'CREDIT';
  readonly cycle: SampleCycle;
  readonly partial: boolean;
  readonly mcc: string;
  readonly merchant_id: string;
  readonly merchant_name: string;
  readonly acquirer_ica: string;
  readonly authorization_date: string;
  readonly settlement_date: string;
}

export interface SampleAuthorization {
  readonly card: number;
  readonly message: SampleMessage;
}

/** A clearing of a scenario, without its card. */
export interface SampleClearing {
  /** The index of the card that the record names; null for a card that does not exist. */
  readonly card: number | null;
  readonly input: SampleClearingFields;
  /** The record is written with a currency that does not exist. It cannot come by message. */
  readonly malformed: boolean;
  /** The record is written with the last digits of another number. It cannot come by message. */
  readonly other_last4: boolean;
  readonly expected: Omit<ExpectedClearing, 'number'>;
}
