import { money } from '@tallystick/kernel';
import type { Clearing, ClearingMessage } from './clearing.ts';
import type { LedgerCard } from './ledger.ts';

interface Recording {
  readonly id: number;
  readonly now_ms: number;
  readonly window_start_ms: number;
  /** 0 when absent, for a clearing that is not recorded. */
  readonly event_id?: number;
}

/**
 * The record of a clearing before it is matched: without an effect. It is recorded in its window,
 * also by a machine whose clock is behind another's: its window would otherwise be another one when
 * it is matched again (`ownWindow`).
 */
export function unmatchedClearing(
  message: ClearingMessage,
  { id: card_id, company_id }: Pick<LedgerCard, 'id' | 'company_id'>,
  { id, now_ms, window_start_ms, event_id = 0 }: Recording,
): Clearing {
  // Named one by one: to copy all but some properties takes ten times as long.
  return {
    network_financial_transaction_id: message.network_financial_transaction_id,
    cycle: message.cycle,
    clearing_type: message.clearing_type,
    partial: message.partial,
    billing_amount: message.billing_amount,
    billing_currency: message.billing_currency,
    merchant_amount: message.merchant_amount,
    merchant_currency: message.merchant_currency,
    acquirer_reference_data: message.acquirer_reference_data,
    approval_code: message.approval_code,
    net_reference_number: message.net_reference_number,
    merchant_id: message.merchant_id,
    mcc: message.mcc,
    settlement_date: message.settlement_date,
    authorization_date: message.authorization_date,
    details: message.details,
    request_id: message.request_id,
    synthetic_id: message.synthetic_id,
    id,
    company_id,
    card_id,
    paired_transaction_id: null,
    sent: null,
    recorded_at_ms: Math.max(now_ms, window_start_ms),
    event_id,
    reduced_at_ms: null,
    authorization_id: null,
    clearing_id: null,
    match_rule: 8,
    review: false,
    class: 'force_post',
    window_start_ms,
    cleared_effect: money(0),
    hold_effect: money(0),
    uses: 0,
    choices: null,
  };
}
