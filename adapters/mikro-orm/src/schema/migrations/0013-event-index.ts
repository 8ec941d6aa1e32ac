import type { Dialect } from '../dialect.ts';
import { type Look, startBackfill } from './start-backfill.ts';
import { words } from './words.ts';

const segment_size = 512;
const volume_size = 8_192;
const filters = 18;

/**
 * The filter index of the event log by segments, which no commit writes (docs/adr/0018). A log with
 * a volume or more is indexed by a backfill, and keeps its former indexes until then.
 */
export async function eventIndex(dialect: Dialect, look: Look): Promise<readonly string[]> {
  const { bytes, given_id } = words(dialect);
  const volumes = Math.floor(((await look.largest('events', 'id')) + 1) / volume_size);
  const indexed_below = volumes * volume_size;
  return [
    `create table event_filter_blocks (
      range_size bigint not null,
      from_id bigint not null,
      field bigint not null,
      first_key ${bytes} not null,
      entries ${bytes} not null,
      primary key (range_size, from_id, field, first_key)
    )`,
    `create table event_index (
      id ${given_id},
      segment_size bigint not null,
      volume_size bigint not null,
      indexed_below bigint not null,
      merged_below bigint not null
    )`,
    `insert into event_index (id, segment_size, volume_size, indexed_below, merged_below)
      values (1, ${segment_size}, ${volume_size}, ${indexed_below}, ${indexed_below})`,
    startBackfill('event index', volumes * filters),
    ...(volumes > 0 ? [] : [...dropFilterIndexes(), 'alter table events drop column segment']),
  ];
}

/** The statements that remove the former indexes. Each can run again. */
export function dropFilterIndexes(): readonly string[] {
  return columns.map((column) => `drop index if exists events_by_${column}`);
}

const columns = [
  'merchant_amount',
  'billing_amount',
  'transaction_date_time_ms',
  'approval_code',
  'net_reference_number',
  'card_number',
  'financial_network_code',
  'mcc_description',
  'mcc',
  'merchant_name',
  'rcn_alias',
  'rcn_id',
  'transaction_type',
  'vcn_id',
  'payload_id',
  'status',
  'event_type',
  'created_at_ms',
];
