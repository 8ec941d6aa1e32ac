import { type Authorization, type Clearing, chosenOf, isRefund, sentReferenceOf } from '@tallystick/cards';
import { type Money, money, scale } from '@tallystick/kernel';
import { type AuthorizedPurchase, type ClearedAmount, isTie } from './records.ts';
import { type StatementKeySetting, statementKeyOf } from './statement-key.ts';

/** The currencies of a card. */
export interface CardCurrencies {
  readonly billing_currency: string;
  /** The currency of its limits; null: the billing currency. */
  readonly limit_currency: string | null;
}

/** The fields of an authorization that reconciliation reads. */
export type AuthorizationFields = Pick<
  Authorization,
  | 'id'
  | 'company_id'
  | 'card_id'
  | 'authorized'
  | 'cleared'
  | 'billing_amount'
  | 'merchant_amount'
  | 'merchant_currency'
  | 'approval_code'
  | 'merchant_id'
  | 'net_reference_number'
  | 'transaction_date_time_ms'
  | 'status'
  | 'uncleared_status'
  | 'hold_end_ms'
  | 'decided_at_ms'
> & { readonly merchant_name: string | null; readonly card_holder_transaction_type_code: unknown };

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
export type ClearingFields = Pick<
  Clearing,
  | 'id'
  | 'company_id'
  | 'card_id'
  | 'network_financial_transaction_id'
  | 'authorization_id'
  | 'clearing_id'
  | 'cycle'
  | 'clearing_type'
  | 'class'
  | 'match_rule'
  | 'review'
  | 'choices'
  | 'partial'
  | 'billing_amount'
  | 'billing_currency'
  | 'merchant_amount'
  | 'merchant_currency'
  | 'approval_code'
  | 'merchant_id'
  | 'net_reference_number'
  | 'sent'
  | 'cleared_effect'
  | 'settlement_date'
  | 'acquirer_reference_data'
  | 'recorded_at_ms'
> & { readonly merchant_name: string | null };

/** A clearing as reconciliation sees it. */
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
    is_tie: isTie(clearing, { limit_currency }),
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
