import { isCardLine, type LineStanding } from '@tallystick/accounts';
import {
  type Authorization,
  type AuthorizationStatus,
  type Clearing,
  type ClearingClass,
  type ClearingCycle,
  chosenOf,
  isRefund,
  sentReferenceOf,
} from '@tallystick/cards';
import { type Money, money, scale } from '@tallystick/kernel';
import { type StatementKeySetting, statementKeyOf } from './statement-key.ts';

/**
 * An approved authorization with its increments and reversals, as reconciliation sees it. Amounts
 * in the billing currency, purchases positive.
 */
export interface AuthorizedPurchase {
  readonly id: number;
  readonly company_id: number;
  readonly card_id: number;
  readonly currency: string;
  /** The authorized sum: the root's, plus increments, less reversals. */
  readonly authorized: Money;
  readonly status: AuthorizationStatus;
  /** The status without its clearings; null while no clearing has changed the status. */
  readonly uncleared_status: AuthorizationStatus | null;
  /** When its hold ends; null when it never held an amount or its company's holds never end. */
  readonly hold_end_ms: number | null;
  readonly decided_at_ms: number;
  readonly merchant_name: string | null;
  // What matching compares, as the authorization has it.
  readonly billing_amount: Money;
  readonly merchant_amount: Money;
  readonly merchant_currency: string;
  readonly approval_code: string | null;
  readonly merchant_id: string | null;
  readonly net_reference_number: string | null;
  readonly transaction_date_time_ms: number;
}

export interface ClearedAmount {
  readonly id: number;
  readonly company_id: number;
  readonly card_id: number;
  readonly currency: string;
  readonly transaction_id: string;
  readonly authorization_id: number | null;
  /** The earlier clearing that it reverses, disputes or refunds, or null. */
  readonly clearing_id: number | null;
  readonly cycle: ClearingCycle;
  readonly class: ClearingClass;
  readonly match_rule: number;
  /** Whether a person chose its authorization, or confirmed it. */
  readonly is_chosen: boolean;
  /** The match is not certain (cards: `Clearing.review`). */
  readonly review: boolean;
  /** Several records fitted it equally well, so that none was taken. */
  readonly is_tie: boolean;
  readonly partial: boolean;
  /** The signed billing amount: purchases positive, credits negative. */
  readonly amount: Money;
  /** YYYY-MM-DD. */
  readonly settlement_date: string;
  readonly acquirer_reference: string | null;
  /** `statementKeyOf` the reference, by the setting of the installation. */
  readonly statement_key: string | null;
  readonly merchant_name: string | null;
  readonly recorded_at_ms: number;
  // What matching compares, as the message sent it.
  readonly merchant_amount: Money | null;
  readonly merchant_currency: string | null;
  readonly approval_code: string | null;
  readonly merchant_id: string | null;
  readonly net_reference_number: string | null;
}

/** Clearings, and the statement lines that may be theirs. */
export interface StatementRecords {
  readonly clearings: readonly ClearedAmount[];
  readonly lines: readonly CardLine[];
}

/** A closed group of records: everything that any of them may be in one item with. */
export interface ReconciliationRecords extends StatementRecords {
  readonly purchases: readonly AuthorizedPurchase[];
}

/**
 * A card line, or a line of another code that the bank reported by itself and that differs from its
 * statement, or did so until a person kept it.
 */
export interface CardLine {
  readonly id: number;
  readonly company_id: number;
  readonly account_id: number;
  readonly currency: string;
  /** Less the line's signed amount: purchases positive, credits negative. */
  readonly amount: Money;
  readonly is_fee: boolean;
  readonly bai_code: string;
  /** YYYY-MM-DD. */
  readonly booking_date: string;
  /** The bank's own reference, or null. Orders equal lines whenever they arrived. */
  readonly bank_reference: string | null;
  readonly acquirer_reference: string | null;
  /** `statementKeyOf` the reference, by the setting of the installation. */
  readonly statement_key: string | null;
  readonly text: string;
  /** How it stands beside the statements (accounts: `LineStanding`). */
  readonly standing: LineStanding | null;
  /**
   * While it differs, the line of a statement with its reference: the first one of its date or later
   * with the nearest amount, else the last one before. Null: there is none.
   */
  readonly statement_line_id: number | null;
  readonly recorded_at_ms: number;
}

/** Whether a line has an item: others than card lines only while they differ, or are kept. */
export function hasItemOfLine(line: Pick<CardLine, 'bai_code' | 'standing'>): boolean {
  return isCardLine(line) || line.standing === 'differs' || line.standing === 'kept';
}

/** Whether a line counts, and may be paired: it is a card line, and no statement contradicts it. */
export function isPairable(line: Pick<CardLine, 'bai_code' | 'standing'>): boolean {
  return isCardLine(line) && line.standing !== 'differs';
}

/** The first date from which a statement covers the clearings of a currency, YYYY-MM-DD. */
export type Coverage = ReadonlyMap<string, string>;

/** The largest difference in a currency that the rule `tolerance` accepts. */
export interface Tolerance {
  /** Minor units, above 0. */
  readonly amount: number;
  readonly since_ms: number;
}

/** By currency. One without a tolerance has no difference that the rule accepts. */
export type Tolerances = ReadonlyMap<string, Tolerance>;

export interface CardCurrencies {
  readonly billing_currency: string;
  /** The currency of its limits; null: the billing currency. */
  readonly limit_currency: string | null;
}

/** The fields of an authorization that reconciliation reads. */
export type AuthorizationFields = Omit<AuthorizedPurchase, 'currency' | 'authorized'> &
  Pick<Authorization, 'authorized' | 'cleared'> & { readonly card_holder_transaction_type_code: unknown };

/** A root authorization as reconciliation sees it. */
export function authorizedPurchaseOf(
  authorization: AuthorizationFields,
  { billing_currency, limit_currency }: CardCurrencies,
): AuthorizedPurchase {
  const { id, company_id, card_id, status, uncleared_status, hold_end_ms, decided_at_ms, merchant_name } =
    authorization;
  return {
    id,
    company_id,
    card_id,
    currency: billing_currency,
    authorized: authorizedAmount(authorization, limit_currency),
    status,
    uncleared_status,
    hold_end_ms,
    decided_at_ms,
    merchant_name,
    billing_amount: authorization.billing_amount,
    merchant_amount: authorization.merchant_amount,
    merchant_currency: authorization.merchant_currency,
    approval_code: authorization.approval_code,
    merchant_id: authorization.merchant_id,
    net_reference_number: authorization.net_reference_number,
    transaction_date_time_ms: authorization.transaction_date_time_ms,
  };
}

/**
 * The authorized sum in the billing currency. The card counts in the currency of its limits, so
 * what increments and reversals changed there is converted at the rate of the authorization. A
 * refund holds nothing, so its sum is 0. Its amount counts, negative, once it has cleared.
 */
function authorizedAmount(authorization: AuthorizationFields, limit_currency: string | null): Money {
  const { authorized, cleared, billing_amount, merchant_amount } = authorization;
  if (isRefund(authorization.card_holder_transaction_type_code)) return money(cleared === 0 ? 0 : -billing_amount);
  if (limit_currency === null) return authorized;
  if (authorized === merchant_amount) return billing_amount;
  return merchant_amount === 0 ? authorized : scale(billing_amount, authorized, merchant_amount);
}

/** The fields of a clearing that reconciliation reads. */
export type ClearingFields = Omit<
  ClearedAmount,
  'currency' | 'transaction_id' | 'is_chosen' | 'is_tie' | 'amount' | 'acquirer_reference' | 'statement_key'
> &
  Pick<Clearing, 'network_financial_transaction_id' | 'acquirer_reference_data' | 'choices' | 'sent'> &
  Pick<Clearing, 'billing_amount' | 'billing_currency' | 'cleared_effect' | 'clearing_type'>;

export function clearedAmountOf(
  clearing: ClearingFields,
  { limit_currency }: Pick<CardCurrencies, 'limit_currency'>,
  setting: StatementKeySetting,
): ClearedAmount {
  const { id, company_id, card_id, authorization_id, clearing_id, cycle, match_rule, review, partial } = clearing;
  return {
    id,
    company_id,
    card_id,
    currency: clearing.billing_currency,
    transaction_id: clearing.network_financial_transaction_id,
    authorization_id,
    clearing_id,
    cycle,
    class: clearing.class,
    match_rule,
    is_chosen: chosenOf(clearing.choices) !== null,
    review,
    is_tie: isTie(clearing, limit_currency),
    partial,
    amount: signedAmount(clearing),
    settlement_date: clearing.settlement_date,
    acquirer_reference: clearing.acquirer_reference_data,
    statement_key: statementKeyOf(clearing.acquirer_reference_data, setting),
    merchant_name: clearing.merchant_name,
    recorded_at_ms: clearing.recorded_at_ms,
    merchant_amount: clearing.merchant_amount,
    merchant_currency: clearing.merchant_currency,
    approval_code: clearing.approval_code,
    merchant_id: clearing.merchant_id,
    net_reference_number: sentReferenceOf(clearing),
  };
}

/**
 * The billing amount with the sign of the effect on the card. Without an effect, for example that
 * of a dispute, the type decides.
 */
function signedAmount({ cleared_effect, clearing_type, billing_amount }: ClearingFields): Money {
  const is_credit = cleared_effect === 0 ? clearing_type === 'CREDIT' : cleared_effect < 0;
  return is_credit ? money(0 - billing_amount) : billing_amount;
}

/**
 * Whether a clearing stands alone because several records fitted it: then it is for review although
 * it is no reversal or dispute, and although its amount in the currency of its card's limits is
 * known (cards: `Clearing.review`).
 */
function isTie(clearing: ClearingFields, limit_currency: string | null): boolean {
  const { review, cycle, authorization_id, clearing_id, merchant_currency, billing_currency } = clearing;
  if (!review || cycle !== 'first_presentment' || authorization_id !== null || clearing_id !== null) return false;
  return limit_currency === null || limit_currency === billing_currency || limit_currency === merchant_currency;
}

/**
 * The highest ids of recorded clearings and statement lines, of all companies; 0: there is none.
 * What has a higher id was recorded later, whatever the clock showed.
 */
export interface LastRecords {
  readonly last_clearing_id: number;
  readonly last_line_id: number;
}
