import type { Payload } from '@tallystick/events';
import { maskNumber } from '@tallystick/kernel';
import type { CardOfItem } from '../issuing/card.ts';
import { type Clearing, matchMakerOf } from './clearing.ts';

/** Fields of service specification 2.10 that are shown as they were sent, or null. */
export const clearing_detail_names = ['acquirer_ica', 'exchange_rate', 'mcc_description', 'merchant_name'] as const;

/**
 * A clearing as callers see it: in the arrays of a card, in the answer to the network and as the
 * payload of its event. It has the fields of service specification 2.10, its id and its match. The
 * number is masked.
 */
export type ClearingItem = Readonly<ReturnType<typeof clearingItem>>;

/**
 * The recorded clearing as callers see it, and the payload of its event. Later messages may change
 * its match; the event keeps the first one (docs/adr/0033).
 */
export function clearingItem(clearing: Clearing, card: CardOfItem) {
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
    billing_amount: clearing.billing_amount as number,
    billing_currency: clearing.billing_currency,
    clearing_type: clearing.clearing_type,
    exchange_rate: text(details, 'exchange_rate'),
    network_financial_transaction_id: clearing.network_financial_transaction_id,
    mcc: clearing.mcc,
    mcc_description: text(details, 'mcc_description'),
    merchant_amount: clearing.merchant_amount as number | null,
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

export function isMatched({ authorization_id, clearing_id }: ClearingItem): boolean {
  return authorization_id !== null || clearing_id !== null;
}

const break_classes: ReadonlySet<ClearingItem['class']> = new Set(['force_post', 'over', 'suspected_duplicate']);

/** Whether the clearing disagrees with what was authorized, or its match is not certain. */
export function isBreak(item: ClearingItem): boolean {
  return item.review || break_classes.has(item.class);
}
