/**
 * An authorization message of the card network (service specification 2.9). Fields that are not
 * listed are ignored.
 */
export interface AuthorizationMessage {
  /** The whole number. Answers show it masked. */
  readonly card_number: string;
  /** YYYY-MM; compared with the card when sent. */
  readonly expiry?: string | null | undefined;
  /** Three or four digits; compared with the card when sent. */
  readonly cvc?: string | null | undefined;
  /** The name of the type, or its ISO 8583 number. */
  readonly message_type_indicator:
    | 'Authorization Request'
    | 'Authorization Advice'
    | 'Reversal Request'
    | 'Reversal Advice'
    | '0100'
    | '0120'
    | '0400'
    | '0420';
  /** Adds to the open authorization with this trace_id, within the limits of its window. */
  readonly incremental?: boolean | null | undefined;
  /** The reference that its reversal and its advices share. A clearing has none. */
  readonly trace_id: string;
  readonly system_trace_audit_number: string;
  /** ISO 8601, with an offset. */
  readonly transaction_date_time: string;
  /** Minor units (cents). */
  readonly billing_amount: number;
  /** ISO 4217. */
  readonly billing_currency: string;
  /** Minor units (cents). */
  readonly merchant_amount: number;
  /** ISO 4217. */
  readonly merchant_currency: string;
  /** Merchant category code, four digits. */
  readonly mcc: string;
  /** Of an advice: the decision that was made elsewhere (DE39). */
  readonly response_code?: string | null | undefined;
  readonly approval_code?: string | null | undefined;
  /**
   * Of a reversal: the corrected amounts. All absent or zero: a full reversal. Otherwise
   * billing_amount or transaction_amount must be there in the currency of the card's limits; zero
   * counts as absent. Before its original, a reversal in part lowers the original to the corrected
   * amount.
   */
  readonly replacement_amounts?:
    | {
        /** Minor units (cents). */
        readonly billing_amount?: number | null | undefined;
        /** Minor units (cents). */
        readonly settlement_amount?: number | null | undefined;
        /** Minor units (cents). */
        readonly transaction_amount?: number | null | undefined;
      }
    | null
    | undefined;
  /** The same as in replacement_amounts. If both are sent, they must be equal. */
  readonly 'replacement_amounts.billing_amount'?: number | null | undefined;
  /** The same as in replacement_amounts. If both are sent, they must be equal. */
  readonly 'replacement_amounts.settlement_amount'?: number | null | undefined;
  /** The same as in replacement_amounts. If both are sent, they must be equal. */
  readonly 'replacement_amounts.transaction_amount'?: number | null | undefined;
  readonly advice_reason_code?: string | null | undefined;
  readonly acquirer_ica?: string | null | undefined;
  /**
   * Two digits, or all six of the processing code (DE3). 20 and 28 as the first two are refunds.
   */
  readonly card_holder_transaction_type_code?: string | null | undefined;
  readonly financial_network_code?: string | null | undefined;
  readonly mcc_description?: string | null | undefined;
  readonly merchant_city?: string | null | undefined;
  /** Its clearing may be found by it: see ClearingMessage. */
  readonly merchant_id?: string | null | undefined;
  readonly merchant_name?: string | null | undefined;
  readonly merchant_state_or_country_code?: string | null | undefined;
  /**
   * Financial network code (3), network reference (6), cycle date MMDD (4). Its clearing is found
   * by it: see ClearingMessage.
   */
  readonly net_reference_number?: string | null | undefined;
  readonly pos_transaction_status?: string | null | undefined;
  readonly purchase_request_company_guid?: string | null | undefined;
  readonly purchase_request_issuer_guid?: string | null | undefined;
  /** Four digits. */
  readonly settlement_date?: string | null | undefined;
  /** When absent, the name of the message type. */
  readonly transaction_type?: string | null | undefined;
}

/** An authorization as answers and events show it (service specification 2.9). */
export interface Authorization {
  /** Null when nothing was recorded: the card number is unknown, or there was an internal fault. */
  readonly id: number | null;
  /** The company. */
  readonly company_id: number | null;
  /** The virtual card; null when the card number is unknown. */
  readonly vcn_id: number | null;
  /** The real card. */
  readonly rcn_id: number | null;
  /** The name of the real card. */
  readonly rcn_alias: string | null;
  /** Masked: asterisks and the last four digits. */
  readonly card_number: string;
  readonly message_type_indicator: MessageType;
  /** As the network sent it, else the name of the message type. */
  readonly transaction_type: string;
  readonly trace_id: string;
  readonly system_trace_audit_number: string;
  /** ISO 8601, UTC. */
  readonly transaction_date_time: string;
  /** Minor units (cents). */
  readonly billing_amount: number;
  /** ISO 4217. */
  readonly billing_currency: string;
  /** Minor units (cents). */
  readonly merchant_amount: number;
  /** ISO 4217. */
  readonly merchant_currency: string;
  readonly merchant_id: string | null;
  readonly merchant_name: string | null;
  readonly merchant_city: string | null;
  readonly merchant_state_or_country_code: string | null;
  /** Merchant category code, four digits. */
  readonly mcc: string;
  readonly mcc_description: string | null;
  /** Financial network code (3), network reference (6), cycle date MMDD (4). */
  readonly net_reference_number: string | null;
  /** As the network sent it. */
  readonly acquirer_ica: string | null;
  /** As the network sent it. */
  readonly advice_reason_code: string | null;
  /** Processing code (DE3): 20 and 28 are refunds. */
  readonly card_holder_transaction_type_code: string | null;
  /** As the network sent it. */
  readonly financial_network_code: string | null;
  /** As the network sent it. */
  readonly pos_transaction_status: string | null;
  /** As the network sent it. */
  readonly purchase_request_company_guid: string | null;
  /** As the network sent it. */
  readonly purchase_request_issuer_guid: string | null;
  /** Four digits, MMDD. */
  readonly settlement_date: string | null;
  /** The corrected amounts of a reversal; all null for any other message. */
  readonly replacement_amounts: {
    /** Minor units (cents). */
    readonly billing_amount: number | null;
    /** Minor units (cents). */
    readonly settlement_amount: number | null;
    /** Minor units (cents). */
    readonly transaction_amount: number | null;
  };
  readonly status: AuthorizationStatus;
  /** The first reason that applies; null: approved or recorded. */
  readonly decline_reason: DeclineCode | null;
  /** Of an advice that was recorded although a limit did not allow it: the first such reason. */
  readonly broken_reason: DeclineCode | null;
  /** The meaning of `decline_reason` in words. */
  readonly vcn_response: VcnResponse;
  readonly issuer_response: 'Approved' | 'Declined';
  /** Response code of the network (DE39); 00: approved. */
  readonly response_code: string;
  /** Issued when approved; null when declined. */
  readonly approval_code: string | null;
}

/** The type of an authorization message (its message_type_indicator). */
export type MessageType = 'Authorization Request' | 'Authorization Advice' | 'Reversal Request' | 'Reversal Advice';

/** The state of an authorization. */
export type AuthorizationStatus =
  | 'open'
  | 'cleared'
  | 'partially_cleared'
  | 'reversed'
  | 'expired'
  | 'released'
  | 'declined';

/**
 * The reasons to decline, the first that applies. U: the service could not decide; nothing was
 * approved.
 */
export type DeclineCode = 'I' | 'K' | 'A' | 'B' | 'C' | 'D' | 'M' | 'J' | 'E' | 'G' | 'F' | 'U';

/** The meaning of a decline code in words; Valid: approved or recorded. */
export type VcnResponse =
  | 'Bad VCN-RCN mapping'
  | 'Database status bad'
  | 'Expiry date mismatch'
  | 'VCN expired'
  | 'CVC2 mismatch'
  | 'Validity period limit'
  | 'Transaction type restriction'
  | 'MCC limit'
  | 'Transaction amount limit'
  | 'Transaction number usage'
  | 'Cumulative amount limit'
  | 'Unable to process'
  | 'Valid';
