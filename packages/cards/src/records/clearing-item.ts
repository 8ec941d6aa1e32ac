import type { Payload } from '@tallystick/events';
import { maskNumber } from '@tallystick/kernel';
import type { CardOfItem } from './authorization-item.ts';
import { type Clearing, type ClearingType, type MatchMaker, matchMakerOf } from './clearing.ts';

/** Fields of service specification 2.10 that are shown as they were sent, or null. */
export const clearing_detail_names = ['acquirer_ica', 'exchange_rate', 'mcc_description', 'merchant_name'] as const;

/**
 * A clearing as callers see it: in the arrays of a card, in the answer to the network and as the
 * payload of its event. It has the fields of service specification 2.10, its id and its match. The
 * number is masked.
 */
export type ClearingItem = {
  readonly [Name in (typeof clearing_detail_names)[number]]: string | null;
} & {
  readonly id: number;
  readonly company_id: number;
  readonly vcn_id: number;
  readonly rcn_id: number;
  readonly rcn_alias: string;
  readonly card_number: string;
  readonly acquirer_reference_data: string | null;
  readonly approval_code: string | null;
  readonly authorization_date: string | null;
  readonly net_reference_number: string | null;
  readonly billing_amount: number;
  readonly billing_currency: string;
  readonly clearing_type: ClearingType;
  readonly network_financial_transaction_id: string;
  readonly mcc: string | null;
  readonly merchant_amount: number | null;
  readonly merchant_currency: string | null;
  readonly merchant_id: string | null;
  readonly settlement_date: string;
  readonly cycle: Clearing['cycle'];
  readonly partial: boolean;
  /** The authorization that it was matched to, or null. */
  readonly authorization_id: number | null;
  /** The earlier clearing that it reverses, disputes or refunds, or null. */
  readonly clearing_id: number | null;
  readonly match_rule: number;
  /** Whether a rule decided its match, or a person chose or confirmed it. */
  readonly matched_by: MatchMaker;
  readonly review: boolean;
  readonly class: Clearing['class'];
};

/**
 * The recorded clearing as callers see it, and the payload of its event. Later messages may change
 * its match; the event keeps the first one (docs/adr/0033).
 */
export function clearingItem(clearing: Clearing, card: CardOfItem): ClearingItem {
  const { details } = clearing;
  return {
    id: clearing.id,
    company_id: card.company_id,
    vcn_id: card.id,
    rcn_id: card.rcn_id,
    rcn_alias: card.rcn_alias,
    card_number: maskNumber(card.last4),
    acquirer_ica: text(details, 'acquirer_ica'),
    acquirer_reference_data: clearing.acquirer_reference_data,
    approval_code: clearing.approval_code,
    authorization_date: clearing.authorization_date,
    net_reference_number: clearing.net_reference_number,
    billing_amount: clearing.billing_amount,
    billing_currency: clearing.billing_currency,
    clearing_type: clearing.clearing_type,
    exchange_rate: text(details, 'exchange_rate'),
    network_financial_transaction_id: clearing.network_financial_transaction_id,
    mcc: clearing.mcc,
    mcc_description: text(details, 'mcc_description'),
    merchant_amount: clearing.merchant_amount,
    merchant_currency: clearing.merchant_currency,
    merchant_id: clearing.merchant_id,
    merchant_name: text(details, 'merchant_name'),
    settlement_date: clearing.settlement_date,
    cycle: clearing.cycle,
    partial: clearing.partial,
    authorization_id: clearing.authorization_id,
    clearing_id: clearing.clearing_id,
    match_rule: clearing.match_rule,
    matched_by: matchMakerOf(clearing),
    review: clearing.review,
    class: clearing.class,
  };
}

function text(details: Payload, name: string): string | null {
  return (details[name] as string | null | undefined) ?? null;
}

/** Whether the clearing matched an authorization or an earlier clearing. */
export function isMatched({ authorization_id, clearing_id }: ClearingItem): boolean {
  return authorization_id !== null || clearing_id !== null;
}

const break_classes: ReadonlySet<ClearingItem['class']> = new Set(['force_post', 'over', 'suspected_duplicate']);

/** Whether the clearing disagrees with what was authorized, or its match is not certain. */
export function isBreak(item: ClearingItem): boolean {
  return item.review || break_classes.has(item.class);
}
