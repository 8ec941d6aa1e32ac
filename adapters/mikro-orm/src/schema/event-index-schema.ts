import { defineEntity, p } from '@mikro-orm/core';
import type { FilterName } from '@tallystick/events';

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
} as const satisfies Readonly<Record<FilterName, number>>;
