import { defineEntity, p } from '@mikro-orm/core';
import type { FilterName } from '@tallystick/events';
import { id, int, json } from './columns.ts';

/** The column for the value of each event filter, normalised; null where the event has no value. */
export const event_filter_columns = {
  'payload.merchant_amount': 'merchant_amount',
  'payload.billing_amount': 'billing_amount',
  'payload.transaction_date_time': 'transaction_date_time_ms',
  'payload.approval_code': 'approval_code',
  'payload.net_ref_num': 'net_reference_number',
  'payload.card_number': 'card_number',
  'payload.financial_network_code': 'financial_network_code',
  'payload.mcc_description': 'mcc_description',
  'payload.mcc': 'mcc',
  'payload.merchant_name': 'merchant_name',
  'payload.merchant_id': 'merchant_id',
  'payload.decline_reason': 'decline_reason',
  'payload.rcn_alias': 'rcn_alias',
  'payload.rcn_id': 'rcn_id',
  'payload.transaction_type': 'transaction_type',
  'payload.vcn_id': 'vcn_id',
  'payload.id': 'payload_id',
  'payload.status': 'status',
  event_type: 'event_type',
  created_at: 'created_at_ms',
} as const satisfies Readonly<Record<FilterName, string>>;

/**
 * The event log. Rows are only appended. Filters are indexed in `event_filter_blocks` after the
 * commit.
 */
export const Event = defineEntity({
  name: 'Event',
  tableName: 'tallystick_events',
  properties: {
    id: id(),
    company_id: int(),
    event_type: p.text(),
    created_at_ms: int(),
    merchant_amount: int().nullable(),
    billing_amount: int().nullable(),
    transaction_date_time_ms: int().nullable(),
    approval_code: p.text().nullable(),
    net_reference_number: p.text().nullable(),
    card_number: p.text().nullable(),
    financial_network_code: p.text().nullable(),
    mcc_description: p.text().nullable(),
    mcc: p.text().nullable(),
    merchant_name: p.text().nullable(),
    merchant_id: p.text().nullable(),
    decline_reason: p.text().nullable(),
    rcn_alias: p.text().nullable(),
    rcn_id: int().nullable(),
    transaction_type: p.text().nullable(),
    vcn_id: int().nullable(),
    payload_id: p.text().nullable(),
    status: p.text().nullable(),
    request_id: p.text().nullable(),
    payload: json(),
    previous: json().nullable(),
  },
  indexes: [{ name: 'tallystick_events_page', properties: ['company_id', 'id'] }],
});

/** The number of each filter in the index. It is stored, so it never changes. */
export const event_filter_numbers = {
  'payload.merchant_amount': 1,
  'payload.billing_amount': 2,
  'payload.transaction_date_time': 3,
  'payload.approval_code': 4,
  'payload.net_ref_num': 5,
  'payload.card_number': 6,
  'payload.financial_network_code': 7,
  'payload.mcc_description': 8,
  'payload.mcc': 9,
  'payload.merchant_name': 10,
  'payload.rcn_alias': 11,
  'payload.rcn_id': 12,
  'payload.transaction_type': 13,
  'payload.vcn_id': 14,
  'payload.id': 15,
  'payload.status': 16,
  event_type: 17,
  created_at: 18,
  'payload.merchant_id': 19,
  'payload.decline_reason': 20,
} as const satisfies Readonly<Record<FilterName, number>>;

/**
 * The index of the event log's filters, one row for each block of sorted keys
 * (`event-index/filter-block.ts`). Rows are written once, for a range of events that is complete.
 */
export const EventFilterBlock = defineEntity({
  name: 'EventFilterBlock',
  tableName: 'tallystick_event_filter_blocks',
  properties: {
    /** The number of ids in the range: the size of a segment or of a volume. */
    range_size: p.bigint('number').primary().autoincrement(false),
    /** The first id of the range, a multiple of its size. */
    from_id: p.bigint('number').primary().autoincrement(false),
    /** The number of the filter in `event_filter_numbers`. */
    field: p.bigint('number').primary().autoincrement(false),
    first_key: p.uint8array().primary(),
    entries: p.uint8array(),
  },
});

/** How much of the event log is indexed. One row. */
export const EventIndexState = defineEntity({
  name: 'EventIndexState',
  tableName: 'tallystick_event_index',
  properties: {
    id: p.bigint('number').primary().autoincrement(false),
    segment_size: p.bigint('number'),
    /** A multiple of the size of a segment. */
    volume_size: p.bigint('number'),
    /** Events with lower ids are in the index. */
    indexed_below: p.bigint('number'),
    /** Events with lower ids are in the index by volumes, those from here on by segments. */
    merged_below: p.bigint('number'),
  },
});

/**
 * Events that no relay has taken yet. `position` is assigned by the last statement before the
 * commit, so of two events the one whose transaction committed first has the lower one.
 */
export const EventOutboxEntry = defineEntity({
  name: 'EventOutboxEntry',
  tableName: 'tallystick_event_outbox',
  properties: {
    position: id(),
    event_id: int(),
    company_id: int(),
    event_type: p.text(),
  },
});

/** A named position in the event log, and the process that works from it. */
export const Subscription = defineEntity({
  name: 'Subscription',
  tableName: 'tallystick_subscriptions',
  properties: {
    name: p.text().primary(),
    /** Stored names as JSON; null: every type. */
    event_types: p.text().nullable(),
    company_id: p.bigint('number').nullable(),
    after_id: p.bigint('number'),
    created_at_ms: p.bigint('number'),
    lease: p.text().nullable(),
    lease_until_machine_ms: p.bigint('number').nullable(),
  },
});
