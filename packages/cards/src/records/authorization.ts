import type { Payload } from '@tallystick/events';
import type { Money } from '@tallystick/kernel';
import type { Controls } from '../issuing/card.ts';
import type { Pan } from '../numbers/pan.ts';
import type { SuspectNumber } from '../numbers/suspect-number.ts';
import type { DecisionFacts } from './decision-facts.ts';
import type { Say } from './say.ts';

export const message_types = {
  '0100': 'Authorization Request',
  '0120': 'Authorization Advice',
  '0400': 'Reversal Request',
  '0420': 'Reversal Advice',
} as const;

export type MessageType = keyof typeof message_types;

/**
 * The reasons for a decline, in the order in which they are checked (decision: network side). U is
 * an internal fault or an original that arrived after its reversal.
 */
export const decline_codes = ['I', 'K', 'A', 'B', 'C', 'D', 'M', 'J', 'H', 'L', 'N', 'E', 'G', 'F', 'P', 'U'] as const;

export type DeclineCode = (typeof decline_codes)[number];

/**
 * A network message about one authorization, validated and normalised (decision: network side).
 * Amounts in minor units.
 */
export interface AuthorizationMessage {
  readonly kind: 'authorization';
  readonly pan: Pan;
  /** Keyed hash of the number, made by the vault. */
  readonly number_index: Uint8Array;
  /** YYYY-MM as sent, or null. */
  readonly expiry: string | null;
  readonly cvc: string | null;
  readonly message_type: MessageType;
  readonly incremental: boolean;
  /** Whether the answer shows the decision with its facts. */
  readonly explain: boolean;
  readonly trace_id: string;
  readonly system_trace_audit_number: string;
  readonly transaction_date_time_ms: number;
  readonly billing_amount: Money;
  readonly billing_currency: string;
  readonly merchant_amount: Money;
  readonly merchant_currency: string;
  readonly mcc: string;
  /** DE39 of a decision made elsewhere, for an advice. Null counts as 00. */
  readonly response_code: string | null;
  readonly approval_code: string | null;
  readonly card_holder_transaction_type_code: string | null;
  /**
   * The corrected amounts of a reversal. Null when absent or all zero, which is a full reversal.
   */
  readonly replacement_amounts: {
    readonly billing_amount: Money | null;
    readonly settlement_amount: Money | null;
    readonly transaction_amount: Money | null;
  } | null;
  readonly net_reference_number: string | null;
  readonly merchant_id: string | null;
  /**
   * The other fields of service specification 2.9, as sent, for the event and the authorization
   * item. Contains no number and no cvc.
   */
  readonly details: Payload;
  /** The numbers in its names and references that the pass looks up. */
  readonly suspects: readonly SuspectNumber[];
  readonly request_id: string | null;
  /** What its company, or what stands in for it, said about the request; absent: not asked yet. */
  readonly say?: Say | undefined;
}

export const authorization_statuses = [
  'open',
  'cleared',
  'partially_cleared',
  'reversed',
  'expired',
  'released',
  'declined',
] as const;

export type AuthorizationStatus = (typeof authorization_statuses)[number];

/**
 * A recorded message about a card. Requests and advices are roots and carry a hold. Increments,
 * reversals and advices of a decision of ours refer to their root, whose hold they may have
 * changed, and hold nothing themselves.
 */
export interface Authorization {
  readonly id: number;
  readonly company_id: number;
  readonly card_id: number;
  /**
   * The authorization whose hold this message changed. A root has its own id. Null for a reversal
   * that arrived before its original.
   */
  readonly root_id: number | null;
  readonly message_type: MessageType;
  readonly incremental: boolean;
  readonly trace_id: string;
  readonly system_trace_audit_number: string;
  readonly transaction_date_time_ms: number;
  readonly decided_at_ms: number;
  /**
   * The event about it. Its id is the place of the message in the history of its card (`CardAct`).
   */
  readonly event_id: number;
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
  /** What the decision was made from; null for a reversal, and for a decline made elsewhere. */
  readonly facts: DecisionFacts | null;
  /**
   * When its retention time was over and it was reduced (`reduceAuthorization`); null before.
   */
  readonly reduced_at_ms: number | null;
  /**
   * Start of the window in which it counts; epoch milliseconds. 0 for Continuous and for aging
   * velocity.
   */
  readonly window_start_ms: number;

  // The state of a root. Other rows keep the status of their decision ('open', 'reversed' or
  // 'declined') and amounts of 0.
  readonly status: AuthorizationStatus;
  /**
   * The authorized sum in the limit currency: the amount of the root, as corrected by reversals
   * that came first, plus increments less reversals, as changed by advices of the decision.
   */
  readonly authorized: Money;
  readonly held: Money;
  /** Debits less credits cleared against it; below 0 when credits exceed debits. */
  readonly cleared: Money;
  /**
   * 1 while it counts as a use of its window, else 0. A full reversal sets 0; a debit that clears
   * later sets 1 again.
   */
  readonly uses: 0 | 1;
  /** When its hold ends; null when it never held an amount or its company's holds never end. */
  readonly hold_end_ms: number | null;
  /**
   * The status without its clearings (`withoutClearings`): open, expired, reversed or released.
   * Null while no clearing has changed the status.
   */
  readonly uncleared_status: AuthorizationStatus | null;
  /** The uses without its clearings; null while no clearing has changed the status. */
  readonly uncleared_uses: 0 | 1 | null;
}

/**
 * The amount of a message that the limits of the card compare: the merchant amount when the card
 * has currency control, else the billing amount (decision: virtual cards, `currency`).
 */
export function limitAmount(
  card: Pick<Controls, 'currency'>,
  amounts: Pick<AuthorizationMessage, 'billing_amount' | 'merchant_amount'>,
): AuthorizationMessage['billing_amount'] {
  return card.currency === null ? amounts.billing_amount : amounts.merchant_amount;
}

/** The currency in which the limits of a card are compared. */
export function limitCurrency(card: Pick<Controls, 'currency'> & { readonly billing_currency: string }): string {
  return card.currency ?? card.billing_currency;
}

/** The amount of a recorded message as it was approved: that of the message, or a part of it. */
export function approvedAmount(
  card: Pick<Controls, 'currency'>,
  authorization: Pick<Authorization, 'billing_amount' | 'merchant_amount' | 'details'>,
): Money {
  const part = authorization.details.approved_amount as Money | undefined;
  return part ?? limitAmount(card, authorization);
}

/** The first reason that an advice broke, when it was applied although it broke a limit. */
export function brokenReasonOf({ details }: Pick<Authorization, 'details'>): DeclineCode | null {
  return (details.broken_reason as DeclineCode | undefined) ?? null;
}

/**
 * Whether the card holder's transaction type is a refund: the first two digits of DE3, sent alone
 * or as all six.
 */
export function isRefund(card_holder_transaction_type_code: unknown): boolean {
  return typeof card_holder_transaction_type_code === 'string' && refund.test(card_holder_transaction_type_code);
}

const refund = /^2[08](?:\d{4})?$/;

/** Whether this is a root that was not declined. */
export function isStandingRoot(authorization: Pick<Authorization, 'id' | 'root_id' | 'status'>): boolean {
  return authorization.root_id === authorization.id && authorization.status !== 'declined';
}

/** The fields of an authorization that a later message may change. */
const changing_authorization_fields = [
  'status',
  'authorized',
  'held',
  'cleared',
  'uses',
  'hold_end_ms',
  'uncleared_status',
  'uncleared_uses',
] as const satisfies readonly (keyof Authorization)[];

/** Whether two states of an authorization differ in nothing that a pass may change. */
export function isSameAuthorization(one: Authorization, other: Authorization): boolean {
  return changing_authorization_fields.every((name) => one[name] === other[name]);
}

/**
 * The status that the messages of an authorization gave it, whatever of it has cleared.
 */
export function unclearedStatusOf({
  status,
  uncleared_status,
}: Pick<Authorization, 'status' | 'uncleared_status'>): AuthorizationStatus {
  const is_cleared = status === 'cleared' || status === 'partially_cleared';
  return is_cleared ? (uncleared_status ?? status) : status;
}

/** Whether this is the root of a refund, which holds nothing (decision: network side, 3). */
export function isRefundRoot(authorization: Authorization): boolean {
  return isRefund(authorization.details.card_holder_transaction_type_code);
}
