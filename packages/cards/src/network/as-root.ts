import { money } from '@tallystick/kernel';
import type { Authorization, AuthorizationMessage } from './authorization.ts';
import { isRefund, limitAmount } from './decline-reasons.ts';
import type { LedgerCard } from './ledger.ts';

/** What an approval of a message depends on beside the message. */
export interface Approved {
  /** In the limit currency; that of the message when absent. */
  readonly amount?: number;
  readonly approval_code?: string | null;
  readonly now_ms?: number;
  readonly window_start_ms?: number;
  readonly hold_end_ms?: number | null;
}

/** The authorization that a message would be if it were approved as a root. */
export function asRoot(
  message: AuthorizationMessage,
  card: Pick<LedgerCard, 'id' | 'company_id' | 'currency'>,
  id: number,
  approved: Approved = {},
): Authorization {
  const { amount = limitAmount(card, message), approval_code = message.approval_code } = approved;
  const { now_ms = 0, window_start_ms = 0, hold_end_ms = null } = approved;
  const authorized = money(isRefund(message.card_holder_transaction_type_code) ? 0 : amount);
  return {
    id,
    company_id: card.company_id,
    card_id: card.id,
    root_id: id,
    message_type: message.message_type,
    incremental: message.incremental,
    trace_id: message.trace_id,
    system_trace_audit_number: message.system_trace_audit_number,
    transaction_date_time_ms: message.transaction_date_time_ms,
    decided_at_ms: now_ms,
    decline_code: null,
    approval_code,
    billing_amount: message.billing_amount,
    merchant_amount: message.merchant_amount,
    merchant_currency: message.merchant_currency,
    mcc: message.mcc,
    merchant_id: message.merchant_id,
    net_reference_number: message.net_reference_number,
    details: message.details,
    request_id: message.request_id,
    reduced_at_ms: null,
    window_start_ms,
    status: 'open',
    authorized,
    held: authorized,
    cleared: money(0),
    uses: authorized > 0 ? 1 : 0,
    hold_end_ms: authorized > 0 ? hold_end_ms : null,
    uncleared_status: null,
    uncleared_uses: null,
  };
}
