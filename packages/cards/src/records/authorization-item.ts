import type { Payload } from '@tallystick/events';
import { maskNumber } from '@tallystick/kernel';
import { utcInstantAt } from '@tallystick/velocity';
import { answers } from '../deciding/decline-reasons.ts';
import { decisionOf, type ShownDecision, unrecordedDecision } from '../deciding/explain-decision.ts';
import type { CardOfItem } from '../issuing/card.ts';
import {
  type Authorization,
  type AuthorizationMessage,
  type AuthorizationStatus,
  brokenReasonOf,
  type DeclineCode,
  isStandingRoot,
  message_types,
} from './authorization.ts';
import { merchantOf } from './merchant.ts';

/** Fields of service specification 2.9 that are shown as they were sent, or null. */
export const authorization_detail_names = [
  'acquirer_ica',
  'advice_reason_code',
  'card_holder_transaction_type_code',
  'financial_network_code',
  'mcc_description',
  'merchant_city',
  'merchant_name',
  'merchant_state_or_country_code',
  'pos_transaction_status',
  'purchase_request_company_guid',
  'purchase_request_issuer_guid',
  'settlement_date',
] as const;

export const issuer_responses = ['Approved', 'Declined'] as const;

/**
 * An authorization as callers see it: in the arrays of a card, in the answer to the network and as
 * the payload of its event. It has the fields of service specification 2.9, then those that the
 * decisions add. The number is masked.
 */
export type AuthorizationItem = Readonly<ReturnType<typeof item>> & { readonly hold?: ShownHold };

/** What an authorization holds now. Amounts in minor units of the card's limit currency. */
export interface ShownHold {
  readonly authorized: number;
  readonly held: number;
  readonly cleared: number;
  /**
   * When the hold ends, or ended; null: it has no end, or nothing was ever held. From then on it
   * holds nothing, even before `held` says so.
   */
  readonly ends_at: string | null;
}

/** The corrected amounts of a reversal; all null for any other message. */
export interface ReplacementAmounts {
  readonly billing_amount: number | null;
  readonly settlement_amount: number | null;
  readonly transaction_amount: number | null;
}

const no_replacement: ReplacementAmounts = { billing_amount: null, settlement_amount: null, transaction_amount: null };

/** The recorded message with its current state, and with its hold if it is one of its own. */
export function authorizationItem(authorization: Authorization, card: CardOfItem): AuthorizationItem {
  const { id, status, decline_code, approval_code } = authorization;
  const decision = decisionOf(authorization, card.recurring);
  const shown = item(authorization, authorization.details, card, card.last4, {
    id,
    status,
    decline_code,
    approval_code,
    decision,
  });
  return isStandingRoot(authorization) ? { ...shown, hold: holdOf(authorization) } : shown;
}

function holdOf({ authorized, held, cleared, hold_end_ms }: Authorization): ShownHold {
  return { authorized, held, cleared, ends_at: hold_end_ms === null ? null : utcInstantAt(hold_end_ms) };
}

/**
 * The message as it was decided, whatever later messages changed: the payload of its event and the
 * answer to the network (service specification 2.9).
 */
export function authorizationPayload(authorization: Authorization, card: CardOfItem): AuthorizationItem {
  const { root_id, id, status } = authorization;
  const as_decided = root_id !== id || status === 'declined' ? status : 'open';
  const { decline_code, approval_code } = authorization;
  return item(authorization, authorization.details, card, card.last4, {
    id,
    status: as_decided,
    decline_code,
    approval_code,
    decision: decisionOf(authorization, card.recurring),
  });
}

/**
 * A message that was not recorded: its number is unknown (I), or an internal fault prevented a
 * decision (U).
 */
export function unrecordedItem(message: AuthorizationMessage, decline_code: 'I' | 'U'): AuthorizationItem {
  const { details, pan } = message;
  const decision = unrecordedDecision(decline_code);
  return item(message, details, null, pan.last4, {
    id: null,
    status: 'declined',
    decline_code,
    approval_code: null,
    decision,
  });
}

/** A request that would be approved, as its company is asked about it. */
export function proposedItem(
  message: AuthorizationMessage,
  card: CardOfItem,
  decision: ShownDecision,
): AuthorizationItem {
  const proposed = { id: null, status: 'open', decline_code: null, approval_code: null, decision } as const;
  return item(message, message.details, card, card.last4, proposed);
}

/** The fields of an item that do not depend on the message. */
export type UnreadItem = Pick<
  AuthorizationItem,
  'id' | 'status' | 'decline_reason' | 'vcn_response' | 'issuer_response' | 'response_code' | 'approval_code'
>;

/** The answer to a message that was refused before it was read (decision: network side, code U). */
export const unread_item = {
  id: null,
  status: 'declined',
  decline_reason: 'U',
  vcn_response: answers.U.vcn_response,
  issuer_response: 'Declined',
  response_code: answers.U.response_code,
  approval_code: null,
} as const satisfies UnreadItem;

/** The fields that a message and its record share. */
type MessageOfItem = Pick<
  AuthorizationMessage & Authorization,
  | 'message_type'
  | 'trace_id'
  | 'system_trace_audit_number'
  | 'transaction_date_time_ms'
  | 'billing_amount'
  | 'merchant_amount'
  | 'merchant_currency'
  | 'merchant_id'
  | 'mcc'
  | 'net_reference_number'
> & { readonly billing_currency?: string };

interface Outcome {
  readonly id: number | null;
  readonly status: AuthorizationStatus;
  readonly decline_code: DeclineCode | null;
  readonly approval_code: string | null;
  readonly decision: ShownDecision;
}

function item(
  message: MessageOfItem,
  details: Payload,
  card: CardOfItem | null,
  last4: string,
  { id, status, decline_code, approval_code, decision }: Outcome,
) {
  const answer = answers[decline_code ?? 'V'];
  const { merchant_country, card_present } = merchantOf({ merchant_id: message.merchant_id, details });
  const message_type = message_types[message.message_type];
  return {
    id,
    company_id: card?.company_id ?? null,
    vcn_id: card?.id ?? null,
    rcn_id: card?.rcn_id ?? null,
    rcn_alias: card?.rcn_alias ?? null,
    card_number: maskNumber(last4),
    message_type_indicator: message_type as string,
    transaction_type: text(details, 'transaction_type') ?? message_type,
    trace_id: message.trace_id,
    system_trace_audit_number: message.system_trace_audit_number,
    transaction_date_time: utcInstantAt(message.transaction_date_time_ms),
    billing_amount: message.billing_amount as number,
    billing_currency: message.billing_currency ?? card?.billing_currency ?? '',
    merchant_amount: message.merchant_amount as number,
    merchant_currency: message.merchant_currency,
    merchant_id: message.merchant_id,
    merchant_name: text(details, 'merchant_name'),
    merchant_city: text(details, 'merchant_city'),
    merchant_state_or_country_code: text(details, 'merchant_state_or_country_code'),
    mcc: message.mcc,
    mcc_description: text(details, 'mcc_description'),
    net_reference_number: message.net_reference_number,
    acquirer_ica: text(details, 'acquirer_ica'),
    advice_reason_code: text(details, 'advice_reason_code'),
    card_holder_transaction_type_code: text(details, 'card_holder_transaction_type_code'),
    financial_network_code: text(details, 'financial_network_code'),
    pos_transaction_status: text(details, 'pos_transaction_status'),
    purchase_request_company_guid: text(details, 'purchase_request_company_guid'),
    purchase_request_issuer_guid: text(details, 'purchase_request_issuer_guid'),
    settlement_date: text(details, 'settlement_date'),
    replacement_amounts: (details.replacement_amounts as ReplacementAmounts | undefined) ?? { ...no_replacement },
    status,
    decline_reason: decline_code,
    broken_reason: brokenReasonOf({ details }),
    vcn_response: answer.vcn_response,
    issuer_response: status === 'declined' ? ('Declined' as const) : ('Approved' as const),
    // An advice of a decline made elsewhere keeps the code that it arrived with.
    response_code:
      decline_code === null ? (text(details, 'response_code') ?? answer.response_code) : answer.response_code,
    approval_code,
    decision,
    // Only where they are known.
    ...(merchant_country === null ? {} : { merchant_country }),
    ...(card_present === null ? {} : { card_present }),
    // Only of a request that allows it, and of one that was approved in part.
    ...(details.partial_approval === true ? { partial_approval: true as const } : {}),
    ...(typeof details.approved_amount === 'number' ? { approved_amount: details.approved_amount } : {}),
  };
}

function text(details: Payload, name: string): string | null {
  return (details[name] as string | null | undefined) ?? null;
}
