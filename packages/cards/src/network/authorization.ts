import type { Payload } from '@tallystick/events';
import type { Money } from '@tallystick/kernel';
import type { Pan } from '../numbers/pan.ts';

export const message_types = {
  '0100': 'Authorization Request',
  '0120': 'Authorization Advice',
  '0400': 'Reversal Request',
  '0420': 'Reversal Advice',
} as const;

export type MessageType = keyof typeof message_types;

/** Why a message was declined, in the order in which the reasons are tried (decision: network side); U is a fault or a late original. */
export type DeclineCode = 'I' | 'K' | 'A' | 'B' | 'C' | 'D' | 'M' | 'J' | 'E' | 'G' | 'F' | 'U';

/** A message of the network about one authorization, checked and normalised (decision: network side). Amounts in minor units. */
export interface AuthorizationMessage {
  readonly kind: 'authorization';
  readonly pan: Pan;
  /** Keyed hash of the number, by the vault. */
  readonly number_index: Uint8Array;
  /** YYYY-MM as sent, or null. */
  readonly expiry: string | null;
  readonly cvc: string | null;
  readonly message_type: MessageType;
  readonly incremental: boolean;
  readonly trace_id: string;
  readonly system_trace_audit_number: string;
  /** Epoch milliseconds. */
  readonly transaction_date_time_ms: number;
  readonly billing_amount: Money;
  readonly billing_currency: string;
  readonly merchant_amount: Money;
  readonly merchant_currency: string;
  readonly mcc: string;
  /** Of an advice: DE39 of the decision made elsewhere. Null counts as 00. */
  readonly response_code: string | null;
  readonly approval_code: string | null;
  readonly card_holder_transaction_type_code: string | null;
  /** Of a reversal: the corrected amounts; null when absent or all zero, which is a reversal in full. */
  readonly replacement_amounts: {
    readonly billing_amount: Money | null;
    readonly settlement_amount: Money | null;
    readonly transaction_amount: Money | null;
  } | null;
  readonly net_reference_number: string | null;
  readonly merchant_id: string | null;
  /** The other fields of service specification 2.9, as sent, for the event and the authorization item. No number, no cvc. */
  readonly details: Payload;
  readonly request_id: string | null;
}

export const authorization_statuses = [
  'open',
  'cleared',
  'partially_cleared',
  'reversed',
  'expired',
  'declined',
] as const;

export type AuthorizationStatus = (typeof authorization_statuses)[number];

/**
 * One message about a card as recorded. Requests and advices are roots and carry a hold; incremental requests and
 * reversals point to their root, whose hold they changed, and hold nothing themselves.
 */
export interface Authorization {
  readonly id: number;
  readonly company_id: number;
  readonly card_id: number;
  /** The authorization whose hold this message changed; its own id for a root; null for a reversal that came first. */
  readonly root_id: number | null;
  readonly message_type: MessageType;
  readonly incremental: boolean;
  readonly trace_id: string;
  readonly system_trace_audit_number: string;
  readonly transaction_date_time_ms: number;
  readonly decided_at_ms: number;
  /** Null: approved (V) or recorded. */
  readonly decline_code: DeclineCode | null;
  readonly approval_code: string | null;
  readonly billing_amount: Money;
  readonly merchant_amount: Money;
  readonly merchant_currency: string;
  readonly mcc: string;
  readonly merchant_id: string | null;
  readonly net_reference_number: string | null;
  readonly details: Payload;
  readonly request_id: string | null;
  /** Start of the window in which it counts; epoch milliseconds, 0 for Continuous and aging velocity. */
  readonly window_start_ms: number;

  // The state of a root; on other rows as decided: status 'open', 'reversed' or 'declined', amounts 0.
  readonly status: AuthorizationStatus;
  /** Authorized so far in the limit currency: the root's amount, plus increments, less reversals. */
  readonly authorized: Money;
  /** What the hold holds now. */
  readonly held: Money;
  /** Debits less credits cleared against it. */
  readonly cleared: Money;
  /** 1 while it counts as a use of its window, else 0: from a reversal in full until a debit clears all the same. */
  readonly uses: 0 | 1;
  /** When an aging hold ends; null without aging velocity. */
  readonly hold_end_ms: number | null;
}
