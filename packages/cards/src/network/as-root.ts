import { money } from '@tallystick/kernel';
import type { Authorization, AuthorizationMessage } from './authorization.ts';
import { isRefund, limitAmount } from './decline-reasons.ts';
import type { LedgerCard } from './ledger.ts';
import { newAuthorization } from './new-authorization.ts';

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
