import type { EventFilter, FilterName } from '@tallystick/events';

/** Filters in the usual order of selectivity, the most selective first. */
const leading: readonly FilterName[] = [
  'payload.id',
  'payload.approval_code',
  'payload.net_ref_num',
  'payload.vcn_id',
  'payload.card_number',
  'payload.merchant_name',
  'payload.merchant_id',
  'payload.merchant_amount',
  'payload.billing_amount',
  'payload.transaction_date_time',
  'created_at',
  'payload.decline_reason',
  'payload.mcc',
  'payload.mcc_description',
  'payload.status',
  'payload.transaction_type',
  'event_type',
  'payload.rcn_id',
  'payload.rcn_alias',
  'payload.financial_network_code',
];

/** The filters, the usually rarest first: those for one value, then ranges. */
export function inLeadingOrder(filters: readonly EventFilter[]): readonly EventFilter[] {
  return filters.toSorted((a, b) => rankOf(a) - rankOf(b));
}

function rankOf({ name, kind }: EventFilter): number {
  return leading.indexOf(name) + (kind === 'range' ? leading.length : 0);
}
