import type { Id } from './call-options.ts';

/**
 * A clearing of the card network (service specification 2.10). The card is named by its number or
 * its id. Fields that are not listed are ignored.
 *
 * A clearing has no `trace_id`. It finds its authorization on the same card by the first of these:
 *
 * 1. the same 13 characters of `net_reference_number`; the same `approval_code` if both have one
 * 2. the same 6 characters of the network reference within it and the same `approval_code`, at most
 *    one day apart
 * 3. the same `approval_code` and `merchant_id`, and an amount within 20 %
 * 4. the same `merchant_id` and amount; `review` is true
 *
 * A debit that has none of them, for example only an `approval_code`, is a `force_post`.
 */
export interface ClearingMessage {
  /** The whole number. Beside vcn_id it may be masked, and is ignored. */
  readonly card_number?: string | null | undefined;
  /** The virtual card. */
  readonly vcn_id?: Id | null | undefined;
  readonly network_financial_transaction_id: string;
  /** Minor units (cents). */
  readonly billing_amount: number;
  /** ISO 4217. */
  readonly billing_currency: string;
  readonly clearing_type: ClearingType;
  /** YYYY-MM-DD. */
  readonly settlement_date: string;
  /** True: more clearings of this authorization follow. */
  readonly partial?: boolean | null | undefined;
  readonly cycle?: ClearingCycle | null | undefined;
  /** Minor units (cents). */
  readonly merchant_amount?: number | null | undefined;
  /** ISO 4217. */
  readonly merchant_currency?: string | null | undefined;
  readonly authorization_date?: string | null | undefined;
  readonly acquirer_ica?: string | null | undefined;
  readonly acquirer_reference_data?: string | null | undefined;
  /** That of the authorization. Finds it beside net_reference_number or merchant_id. */
  readonly approval_code?: string | null | undefined;
  readonly exchange_rate?: string | null | undefined;
  /** Merchant category code, four digits. */
  readonly mcc?: string | null | undefined;
  readonly mcc_description?: string | null | undefined;
  /** That of the authorization. Finds it beside approval_code or the amount. */
  readonly merchant_id?: string | null | undefined;
  readonly merchant_name?: string | null | undefined;
  /**
   * That of the authorization: financial network code (3), network reference (6), cycle date MMDD
   * (4). Finds it.
   */
  readonly net_reference_number?: string | null | undefined;
}

/** A clearing as answers and events show it (service specification 2.10). */
export interface Clearing {
  readonly id: number;
  /** The company. */
  readonly company_id: number;
  /** The virtual card. */
  readonly vcn_id: number;
  /** The real card. */
  readonly rcn_id: number;
  /** The name of the real card. */
  readonly rcn_alias: string;
  /** Masked: asterisks and the last four digits. */
  readonly card_number: string;
  /** As the network sent it. */
  readonly acquirer_ica: string | null;
  /** Maps to the online banking statement. */
  readonly acquirer_reference_data: string | null;
  readonly approval_code: string | null;
  /** YYYY-MM-DD. */
  readonly authorization_date: string | null;
  /** Financial network code (3), network reference (6), cycle date MMDD (4). */
  readonly net_reference_number: string | null;
  /** Minor units (cents). */
  readonly billing_amount: number;
  /** ISO 4217. */
  readonly billing_currency: string;
  readonly clearing_type: ClearingType;
  readonly exchange_rate: string | null;
  /** Unique per clearing. */
  readonly network_financial_transaction_id: string;
  /** Merchant category code, four digits. */
  readonly mcc: string | null;
  readonly mcc_description: string | null;
  /** Minor units (cents). */
  readonly merchant_amount: number | null;
  /** ISO 4217. */
  readonly merchant_currency: string | null;
  readonly merchant_id: string | null;
  readonly merchant_name: string | null;
  /** YYYY-MM-DD. */
  readonly settlement_date: string;
  readonly cycle: ClearingCycle;
  /** True: more clearings of this authorization follow. */
  readonly partial: boolean;
  /** The authorization that it was matched to. */
  readonly authorization_id: number | null;
  /** The earlier clearing that it reverses, disputes or refunds. */
  readonly clearing_id: number | null;
  /** The matching rule that applied; 9: the match was made by hand. */
  readonly match_rule: number;
  /** Whether a rule decided the match, or a person chose or confirmed it. */
  readonly matched_by: 'rule' | 'person';
  /** True: a person should check the match, or a credit that is above what its purchase cleared. */
  readonly review: boolean;
  readonly class: ClearingClass;
}

/** DEBIT: a purchase. CREDIT: a return or reversal. */
export type ClearingType = 'DEBIT' | 'CREDIT';

/** The place of a clearing in a dispute. */
export type ClearingCycle = 'first_presentment' | 'second_presentment' | 'chargeback' | 'reversal';

/** How a clearing compares with what it was matched to: the first of these that applies. */
export type ClearingClass =
  /** A reversal of an earlier clearing (`cycle`). */
  | 'reversal'
  /** A second presentment or a chargeback (`cycle`). The balance of the card does not change. */
  | 'dispute'
  /** The same references, amount and type as an earlier one, under another transaction id. */
  | 'suspected_duplicate'
  /** A credit without an authorization and an earlier clearing. */
  | 'refund_unlinked'
  /** A credit of an authorization or an earlier clearing. */
  | 'refund_linked'
  /** A debit without an authorization. It lowers the balance of the card all the same. */
  | 'force_post'
  /** Settled on the day on which the hold of the authorization ended, or later. */
  | 'late'
  /** More clearings of the same authorization follow (`partial`). */
  | 'partial'
  /** Another billing amount for the same merchant amount, or in another merchant currency. */
  | 'fx_drift'
  /** The authorized amount. */
  | 'exact'
  /** Below the authorized amount. */
  | 'under'
  /** Above the authorized amount by at most 20 % (as restaurants, taxis) or 15 % (lodging). */
  | 'tip'
  /** Above the authorized amount by more than a tip. */
  | 'over';
