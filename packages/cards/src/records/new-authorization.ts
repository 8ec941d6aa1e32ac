import { type Money, money } from '@tallystick/kernel';
import {
  type Authorization,
  type AuthorizationMessage,
  type DeclineCode,
  isRefund,
  limitAmount,
} from './authorization.ts';
import type { DecisionFacts } from './decision-facts.ts';
import type { LedgerCard } from './ledger.ts';

/** What a decision adds to its message. */
export interface Decision {
  readonly id: number;
  readonly root_id: number | null;
  readonly decided_at_ms: number;
  /** 0 when absent, for an authorization that is not recorded. */
  readonly event_id?: number;
  readonly decline_code?: DeclineCode | null;
  readonly approval_code: string | null;
  readonly window_start_ms: number;
  readonly status: 'open' | 'reversed' | 'declined';
  /** The amount that the message holds itself. More than 0 counts as one use. */
  readonly holds: Money;
  readonly facts?: DecisionFacts | null;
  /** When the hold ends by itself; without a meaning where nothing is held. */
  readonly hold_end_ms: number | null;
}

/** The authorization that records a message, before any clearing. */
export function newAuthorization(
  message: AuthorizationMessage,
  { id: card_id, company_id }: Pick<LedgerCard, 'id' | 'company_id'>,
  {
    id,
    root_id,
    decided_at_ms,
    event_id = 0,
    decline_code = null,
    approval_code,
    window_start_ms,
    status,
    holds,
    hold_end_ms,
    facts = null,
  }: Decision,
): Authorization {
  return {
    id,
    company_id,
    card_id,
    root_id,
    message_type: message.message_type,
    incremental: message.incremental,
    trace_id: message.trace_id,
    system_trace_audit_number: message.system_trace_audit_number,
    transaction_date_time_ms: message.transaction_date_time_ms,
    decided_at_ms,
    event_id,
    decline_code,
    approval_code,
    billing_amount: message.billing_amount,
    merchant_amount: message.merchant_amount,
    merchant_currency: message.merchant_currency,
    mcc: message.mcc,
    merchant_id: message.merchant_id,
    net_reference_number: message.net_reference_number,
    details: message.details,
    request_id: message.request_id,
    facts,
    reduced_at_ms: null,
    window_start_ms,
    status,
    authorized: holds,
    held: holds,
    cleared: money(0),
    uses: holds > 0 ? 1 : 0,
    hold_end_ms: holds > 0 ? hold_end_ms : null,
    uncleared_status: null,
    uncleared_uses: null,
  };
}

/** What an approval of a message depends on beside the message. */
interface ApprovedRoot {
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
  approved: ApprovedRoot = {},
): Authorization {
  const { amount = limitAmount(card, message), approval_code = message.approval_code } = approved;
  const { now_ms = 0, window_start_ms = 0, hold_end_ms = null } = approved;
  const authorized = money(isRefund(message.card_holder_transaction_type_code) ? 0 : amount);
  return newAuthorization(message, card, {
    id,
    root_id: id,
    decided_at_ms: now_ms,
    approval_code,
    window_start_ms,
    status: 'open',
    holds: authorized,
    hold_end_ms,
  });
}
